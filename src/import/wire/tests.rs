use proptest::collection::vec;
use proptest::prelude::*;
use proptest::test_runner::{Config, TestCaseError, TestRunner};

use super::*;
use crate::import::testing::{any_asset, empty_asset};
use crate::rig::{Image, ImageData, Joint, LocalTransform, Skeleton, Trs};

type Encode = fn(&Answer) -> Result<Vec<u8>, WireError>;
type Decode = fn(&[u8], u64) -> Result<Answer, WireError>;

const NO_LIMIT: u64 = u64::MAX;

fn runner(cases: u32) -> TestRunner {
    let config = Config {
        cases,
        failure_persistence: None,
        ..Config::default()
    };
    let seed = TestRunner::deterministic().new_rng();
    TestRunner::new_with_rng(config, seed)
}

/// What an answer consists of, to the bit: equality that NaNs do not escape.
fn bits(answer: &Answer) -> Vec<u8> {
    postcard::to_extend(answer, Vec::new()).unwrap()
}

fn what_is_sent_arrives(encode: Encode, decode: Decode) -> Result<(), String> {
    let law = |asset| -> Result<(), TestCaseError> {
        let sent = Ok(asset);
        let stream = encode(&sent).map_err(|error| TestCaseError::fail(error.to_string()))?;
        let received = decode(&stream, NO_LIMIT);
        let received = received.map_err(|error| TestCaseError::fail(error.to_string()))?;
        prop_assert!(bits(&received) == bits(&sent));
        Ok(())
    };
    let verdict = runner(128).run(&any_asset(), law);
    verdict.map_err(|error| error.to_string())
}

#[test]
fn every_asset_arrives_as_it_was_sent() {
    what_is_sent_arrives(encode, decode).unwrap();
}

#[test]
fn a_sender_that_forgets_the_last_vertex_is_found_out() {
    let forgetful: Encode = |answer| {
        let mut answer = answer.clone();
        for mesh in answer.iter_mut().flat_map(|asset| &mut asset.meshes) {
            mesh.positions.pop();
        }
        encode(&answer)
    };
    assert!(what_is_sent_arrives(forgetful, decode).is_err());
}

#[test]
fn a_receiver_that_makes_all_nans_alike_is_found_out() {
    let tidy: Decode = |stream, limit| {
        let mut answer = decode(stream, limit)?;
        for mesh in answer.iter_mut().flat_map(|asset| &mut asset.meshes) {
            let vectors = mesh.positions.iter_mut().chain(&mut mesh.normals);
            let numbers = vectors.flat_map(AsMut::<[f32; 3]>::as_mut);
            numbers
                .filter(|number| number.is_nan())
                .for_each(|number| *number = f32::NAN);
        }
        Ok(answer)
    };
    assert!(what_is_sent_arrives(encode, tidy).is_err());
}

/// No damaged byte of a stream goes unnoticed.
fn damage_is_noticed(decode: Decode) -> Result<(), String> {
    let damage = (any_asset(), any::<prop::sample::Index>(), 1_u8..);
    let law = |(asset, place, change): (Asset, prop::sample::Index, u8)| {
        let mut stream = encode(&Ok(asset)).unwrap();
        let place = place.index(stream.len());
        stream[place] ^= change;
        prop_assert!(decode(&stream, NO_LIMIT).is_err(), "byte {}", place);
        Ok(())
    };
    let verdict = runner(256).run(&damage, law);
    verdict.map_err(|error| error.to_string())
}

#[test]
fn a_damaged_byte_is_always_noticed() {
    damage_is_noticed(decode).unwrap();
}

#[test]
fn a_receiver_without_a_checksum_is_found_out() {
    let trusting: Decode = |stream, limit| {
        Header::parse(stream, limit)?;
        postcard::from_bytes(&stream[Header::LEN..]).map_err(WireError::Payload)
    };
    assert!(damage_is_noticed(trusting).is_err());
}

/// Bytes behind a right header: what a faulty or hostile child could send at the worst.
fn sealed(payload: &[u8]) -> Vec<u8> {
    let mut stream = Header::of(payload).to_bytes().to_vec();
    stream.extend_from_slice(payload);
    stream
}

#[test]
fn any_payload_gives_an_error_or_something_that_can_be_validated() {
    let law = |payload: Vec<u8>| {
        if let Ok(Ok(asset)) = decode(&sealed(&payload), NO_LIMIT) {
            let _ = asset.validate();
        }
        Ok(())
    };
    runner(512).run(&vec(any::<u8>(), 0..200), law).unwrap();
}

#[test]
fn an_altered_payload_gives_an_error_or_something_that_can_be_validated() {
    let changes = vec((any::<prop::sample::Index>(), any::<u8>()), 1..4);
    let law = |(asset, changes): (Asset, Vec<(prop::sample::Index, u8)>)| {
        let mut payload = bits(&Ok(asset));
        for (place, byte) in changes {
            let place = place.index(payload.len());
            payload[place] = byte;
        }
        if let Ok(Ok(asset)) = decode(&sealed(&payload), NO_LIMIT) {
            let _ = asset.validate();
        }
        Ok(())
    };
    runner(512).run(&(any_asset(), changes), law).unwrap();
}

#[test]
fn a_list_that_claims_to_be_endless_takes_no_memory() {
    // `Ok`, then the length of the importer's name: 2^63.
    let mut payload = vec![0];
    payload.extend([0x80; 9]);
    payload.push(1);
    assert!(matches!(
        decode(&sealed(&payload), NO_LIMIT),
        Err(WireError::Payload(_))
    ));
}

#[test]
fn every_beginning_of_a_stream_is_truncated() {
    let stream = encode(&Ok(empty_asset())).unwrap();
    for length in 0..stream.len() {
        let error = decode(&stream[..length], NO_LIMIT).unwrap_err();
        assert!(
            matches!(error, WireError::Truncated { .. }),
            "{length}: {error}"
        );
    }
}

#[test]
fn a_longer_stream_than_allowed_is_refused_by_its_header() {
    let stream = encode(&Ok(empty_asset())).unwrap();
    let error = Header::parse(&stream, 3).unwrap_err();
    assert!(matches!(error, WireError::TooLong { limit: 3, .. }));
}

#[test]
fn another_build_is_told_from_garbage() {
    let mut stream = encode(&Err(ImporterError::NoScene)).unwrap();
    stream[8] ^= 1;
    assert!(matches!(
        decode(&stream, NO_LIMIT),
        Err(WireError::Version { .. })
    ));
    assert!(matches!(
        decode(&[b'?'; 99], NO_LIMIT),
        Err(WireError::Magic)
    ));
}

#[test]
fn an_importers_error_arrives() {
    let sent = Err(ImporterError::Parse {
        message: "no chunk".into(),
    });
    assert_eq!(decode(&encode(&sent).unwrap(), NO_LIMIT).unwrap(), sent);
}

#[cfg(unix)]
#[test]
fn a_path_that_is_not_unicode_cannot_be_sent() {
    use std::os::unix::ffi::OsStringExt;
    let path = std::ffi::OsString::from_vec(vec![0xff]).into();
    let mut asset = empty_asset();
    asset.images.push(Image {
        name: String::new(),
        data: ImageData::File(path),
    });
    assert!(matches!(encode(&Ok(asset)), Err(WireError::Payload(_))));
}

/// If this fails, the payload has changed: raise [`VERSION`], and pin the new bytes.
#[test]
fn the_version_stands_for_these_bytes() {
    let mut asset = empty_asset();
    let joint = Joint {
        name: "hip".into(),
        parent: None,
        rest: LocalTransform::Trs(Trs::IDENTITY),
    };
    asset.skeleton = Skeleton::new(vec![joint]).unwrap();
    let payload = bits(&Ok(asset));
    assert_eq!(
        (VERSION, payload.len(), checksum(&payload)),
        (6, 71, 4_355_190_386_999_633_961)
    );
}
