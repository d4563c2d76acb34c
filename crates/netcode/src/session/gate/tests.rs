use wire::Hello;

use super::*;

const ADDRESS: &[u8] = &[10, 0, 0, 7, 0x1F, 0x90];
const HELLO: Hello = Hello {
    schema: 1,
    actions: 2,
    world: 3,
    rate: 64,
};
const PING: &[u8] = &[1, 0, 0, 0, 0, 0, 0, 0, 0x15, 9, 9, 9, 9];

fn gate() -> Gate {
    Gate::new(Cookie::new([9; 16]))
}

fn frame(opening: Opening) -> Vec<u8> {
    let mut buf = [0; 64];
    let mut w = Writer::new(&mut buf);
    opening.write(&mut w);
    let len = w.finish().expect("it fits");
    buf[..len].to_vec()
}

fn hello(token: u64) -> Vec<u8> {
    frame(Opening::Hello {
        token,
        hello: HELLO,
    })
}

fn sealed(token: u64) -> Vec<u8> {
    let mut out = [0; 64];
    let len = seal(token, PING, &mut out).expect("it fits");
    out[..len].to_vec()
}

fn at(millis: u64) -> Micros {
    Micros::from_millis(millis)
}

/// What a hello without a token is told, and the token.
fn challenged(gate: &Gate, now: Micros) -> u64 {
    let mut reply = [0; LONGEST_REPLY];
    let asked = hello(0);
    let Passage::Reply(len) = gate.judge(now, ADDRESS, None, &asked, &mut reply) else {
        panic!("a first hello is challenged");
    };
    match Opening::read(&mut Reader::new(&reply[..len])) {
        Ok(Opening::Challenge { token }) => token,
        other => panic!("{other:?}"),
    }
}

fn judge<'a>(
    gate: &Gate,
    now: Micros,
    ticket: Option<&mut Ticket>,
    frame: &'a [u8],
) -> Passage<'a> {
    gate.judge(now, ADDRESS, ticket, frame, &mut [0; LONGEST_REPLY])
}

/// A ticket that was got by saying hello twice.
fn opened(gate: &Gate, now: Micros) -> Ticket {
    let token = challenged(gate, now);
    match judge(gate, now, None, &hello(token)) {
        Passage::Open(ticket) => ticket,
        other => panic!("{other:?}"),
    }
}

#[test]
fn whoever_echoes_the_token_is_let_in_and_then_speaks_with_it() {
    let gate = gate();
    let mut ticket = opened(&gate, at(3_000));
    let token = ticket.token();
    assert_eq!(
        judge(&gate, at(3_010), Some(&mut ticket), &sealed(token)),
        Passage::Pass(PING)
    );
    // Its token proves it for as long as the session lasts, windows later too.
    let again = hello(token);
    assert_eq!(
        judge(&gate, at(90_000), Some(&mut ticket), &again),
        Passage::Pass(&again)
    );
}

#[test]
fn a_forged_frame_moves_nothing() {
    let gate = gate();
    let mut ticket = opened(&gate, at(0));
    let token = ticket.token();
    judge(&gate, at(1), Some(&mut ticket), &sealed(token));
    let before = ticket;
    let mut bare = PING.to_vec();
    bare.resize(40, 0);
    let forged = [
        sealed(token ^ 1),
        sealed(0),
        bare,
        sealed(token)[..12].to_vec(),
        sealed(token)[..20].to_vec(),
        frame(Opening::Challenge { token }),
        frame(Opening::Session { token }),
        Vec::new(),
    ];
    for forged in &forged {
        assert_eq!(
            judge(&gate, at(2), Some(&mut ticket), forged),
            Passage::Drop,
            "{forged:02x?}"
        );
    }
    // A prefix within a prefix would reach the handshake without having proven anything.
    let mut nested = frame(Opening::Session { token });
    nested.extend(hello(token));
    assert_eq!(
        judge(&gate, at(2), Some(&mut ticket), &nested),
        Passage::Drop
    );
    assert_eq!(ticket, before);
    // Without a session there is nothing to speak in.
    assert_eq!(judge(&gate, at(2), None, &sealed(token)), Passage::Drop);
}

#[test]
fn at_a_windows_turn_the_token_that_is_echoed_last_is_taken_until_a_frame_shows_which_is_held() {
    let gate = gate();
    let (old, new) = (challenged(&gate, at(9_990)), challenged(&gate, at(10_010)));
    assert_ne!(old, new);
    let first = hello(old);
    let Passage::Open(mut ticket) = judge(&gate, at(10_020), None, &first) else {
        panic!("the token of the window before is taken");
    };
    // It was told the second one too, and holds that.
    let second = hello(new);
    assert_eq!(
        judge(&gate, at(10_030), Some(&mut ticket), &second),
        Passage::Pass(&second)
    );
    assert_eq!(ticket.token(), new);
    assert_eq!(
        judge(&gate, at(10_040), Some(&mut ticket), &sealed(new)),
        Passage::Pass(PING)
    );
    // From now on the first is a hello that comes late, and unseats nobody.
    assert_eq!(
        judge(&gate, at(10_050), Some(&mut ticket), &first),
        Passage::Drop
    );
    assert_eq!(ticket.token(), new);
    // An address that has long been still may be somebody else's now.
    assert_eq!(
        judge(&gate, at(11_060), Some(&mut ticket), &first),
        Passage::Pass(&first)
    );
}

#[test]
fn a_reply_is_never_longer_than_what_it_answers() {
    let gate = gate();
    let mut reply = [0; LONGEST_REPLY];
    let mut hello = hello(0);
    for version in [wire::VERSION, wire::VERSION + 1] {
        hello[2] = version;
        for len in 0..=hello.len() {
            match gate.judge(at(1), ADDRESS, None, &hello[..len], &mut reply) {
                Passage::Reply(said) => assert!(said <= len, "{said} bytes for {len}"),
                passage => assert_eq!(passage, Passage::Drop),
            }
        }
    }
}

#[test]
fn another_version_is_refused_by_a_reply_that_it_can_read() {
    let gate = gate();
    let mut reply = [0; LONGEST_REPLY];
    let mut foreign = hello(77);
    foreign[2] = wire::VERSION + 1;
    let passage = gate.judge(at(1), ADDRESS, None, &foreign, &mut reply);
    assert_eq!(passage, Passage::Reply(LONGEST_REPLY));
    let refused = Opening::Refuse {
        token: 77,
        refusal: Refusal::Version,
    };
    assert_eq!(Opening::read(&mut Reader::new(&reply)), Ok(refused));
}

#[test]
fn a_million_forged_hellos_open_nothing_and_a_real_one_is_in_at_once() {
    let gate = gate();
    let forged = hello(0x1234_5678_9ABC_DEF0);
    let mut reply = [0; LONGEST_REPLY];
    for from in 0..1_000_000u32 {
        let passage = gate.judge(at(5), &from.to_le_bytes(), None, &forged, &mut reply);
        // A gate has nothing that could grow: what an address costs is this reply.
        assert_eq!(passage, Passage::Reply(Prefix::LEN));
    }
    assert_eq!(opened(&gate, at(6)), {
        let token = challenged(&gate, at(6));
        Ticket { token, heard: None }
    });
}

#[test]
fn what_is_sealed_is_unsealed_by_who_holds_the_token() {
    let mut out = [0; 64];
    let len = seal(5, PING, &mut out).expect("it fits");
    assert_eq!(unseal(5, &out[..len]), Ok(PING));
    assert_eq!(unseal(6, &out[..len]), Err(crate::Fault::Token));
    assert_eq!(seal(5, PING, &mut [0; 24]), None);
    let welcome = hello(5);
    let len = seal(5, &welcome, &mut out).expect("it fits");
    assert_eq!(unseal(6, &out[..len]), Ok(&welcome[..]));
    assert!(unseal(5, PING).is_err());
}
