// What `npm start` and its kin run: finds cargo, starts `cargo xtask`, passes signals on. Everything else is in src/.
// Written for any Node, so that an old one gets a sentence and not a syntax error.
'use strict';

var child = require('child_process');
var fs = require('fs');
var os = require('os');
var path = require('path');

var root = path.resolve(__dirname, '..', '..');

function fail(lines) {
  console.error('\n' + lines.join('\n') + '\n');
  process.exit(1);
}

/** [major, minor] of the first x.y in a text, or null. */
function version(text) {
  var found = /(\d+)\.(\d+)/.exec(text);
  return found && [Number(found[1]), Number(found[2])];
}

function older(a, b) {
  return a[0] < b[0] || (a[0] === b[0] && a[1] < b[1]);
}

// rustup puts cargo where a shell that was open before does not look.
var home = process.env.CARGO_HOME || path.join(os.homedir(), '.cargo');
var env = Object.assign({}, process.env);
var name = Object.keys(env).filter(function (key) { return key.toUpperCase() === 'PATH'; })[0] || 'PATH';
env[name] = (env[name] || '') + path.delimiter + path.join(home, 'bin');

var manifest = fs.readFileSync(path.join(root, 'Cargo.toml'), 'utf8');
var wanted = version(/^rust-version = "([^"]+)"/m.exec(manifest)[1]);

var found = child.spawnSync('cargo', ['--version'], { cwd: root, env: env, encoding: 'utf8' });
if (found.error) {
  fail([
    'cargo is missing. Afterimage is built with Rust ' + wanted.join('.') + ' or newer.',
    'Get it with rustup, from https://rustup.rs, and start again.',
  ]);
}
if (found.status !== 0) {
  fail(['cargo does not start:', (found.stderr || found.stdout || '').trim()]);
}
var have = version(found.stdout);
if (have && older(have, wanted)) {
  fail([
    'Rust ' + wanted.join('.') + ' or newer is needed; this is ' + found.stdout.trim() + '.',
    'Get it with `rustup update stable`, or see https://rustup.rs.',
  ]);
}

// Not --quiet: the tools take a minute to build the first time, and cargo says what it compiles.
var args = ['run', '--package', 'xtask', '--'].concat(process.argv.slice(2));
// A group of its own, so that a signal ends everything that was started and not only the first of it.
var grouped = process.platform !== 'win32';
var run = child.spawn('cargo', args, { cwd: root, env: env, stdio: 'inherit', detached: grouped });

function pass(signal) {
  try {
    process.kill(grouped ? -run.pid : run.pid, signal);
  } catch (error) {
    // It has ended already.
  }
}

['SIGINT', 'SIGTERM', 'SIGHUP'].forEach(function (signal) {
  process.on(signal, function () { pass(signal); });
});

// npm hands a signal to the shell between us, and the shell dies of it without a word: then our parent is another.
var parent = process.ppid;
if (process.env.npm_lifecycle_event) {
  setInterval(function () { if (process.ppid !== parent) pass('SIGTERM'); }, 500).unref();
}
run.on('error', function (error) { fail(['cargo does not start: ' + error.message]); });
run.on('exit', function (code, signal) { process.exit(signal ? 130 : code); });
