// Plain, old, and under a name that every build has: it speaks where a file of the page did not come.
addEventListener('error', function (e) {
  var tag = e.target.tagName;
  if (tag !== 'SCRIPT' && tag !== 'LINK') return;
  var say = function () {
    document.getElementById('lost').hidden = false;
    document.getElementById('reload').onclick = function () { location.reload(); };
  };
  if (document.readyState === 'loading') addEventListener('DOMContentLoaded', say);
  else say();
}, true);
