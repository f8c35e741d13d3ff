//! `skincheck view`.

use crate::folder::Folder;
use crate::program::{fixture, on_threads, skincheck};

#[test]
fn a_page_has_one_script_and_may_load_nothing() {
    let folder = Folder::new();
    let run = folder.run("view fixtures/walker.glb -o page.html").ok();
    assert!(run.stderr.starts_with("page.html: "), "{}", run.stderr);
    let page = folder.read("page.html");
    assert!(page.contains("content=\"default-src 'none'; img-src data:; style-src 'unsafe-inline'; script-src 'sha256-"));
    assert_eq!(page.matches("<script>").count(), 1);
    let addresses = ["http:", "https:", "//cdn", "import(", "fetch("];
    let found = addresses.iter().find(|address| page.contains(**address));
    assert_eq!(found, None);
}

#[test]
fn a_page_is_the_same_for_any_number_of_threads() {
    let page = |threads| on_threads(threads, "view walker.glb -o -").ok().stdout;
    let once = page("1");
    assert!(once.starts_with(b"<!DOCTYPE html>"));
    assert!(once == page("3"));
}

#[test]
fn without_a_name_only_a_page_of_our_own_is_replaced() {
    let folder = Folder::with(&[("arm.gltf", "arm.gltf")]);
    folder.run("view arm.gltf").ok();
    folder.run("view arm.gltf --clip 0").ok();
    folder.write("arm.html", "<!DOCTYPE html>mine");
    folder
        .run("view arm.gltf")
        .refuses("arm.html exists and was not written by skincheck");
    assert_eq!(folder.read("arm.html"), "<!DOCTYPE html>mine");
}

#[test]
fn a_budget_thins_frames_and_says_so() {
    let folder = Folder::new();
    let whole = folder
        .run("view fixtures/figure.md5mesh -o whole.html")
        .ok();
    assert!(
        !whole.stderr.contains("every 2nd frame"),
        "{}",
        whole.stderr
    );
    let line = "view fixtures/walker.glb -o page.html --page-size";
    for size in ["0", "-1", "1e9", "nan"] {
        folder.run(&format!("{line} {size}")).exits(2);
    }
    folder
        .run(&format!("{line} 0.1"))
        .refuses("--page-size 0.1: expected MB from 0.5 to 500");
}

#[test]
fn what_cannot_be_shown_is_refused() {
    let line = "view walker.glb -o -";
    skincheck(&format!("{line} --show strech")).refuses("did you mean \"stretch\"?");
    skincheck(&format!("{line} --show depth")).refuses("a page has no such mode");
    skincheck(&format!("{line} --clip Wlak")).refuses("Walk");
    skincheck(&format!("{line} --show weights:Hipz")).refuses("Hipz");
    skincheck("view walker.glb -o page.png").refuses("the output is HTML");
}

#[test]
fn modes_that_are_asked_for_are_measured() {
    let folder = Folder::new();
    folder
        .run("view fixtures/arm.gltf --show volume -o page.html")
        .ok();
    let page = folder.read("page.html");
    assert!(page.contains("\"name\":\"volume\"") && page.contains("\"show\":\"volume\""));
    assert!(!page.contains("\"name\":\"bend\""));
    let other = fixture("arm.gltf");
    let line = format!(
        "view fixtures/arm.gltf --show distance:{} -o page.html",
        other.display()
    );
    folder.run(&line).ok();
    assert!(folder.read("page.html").contains("distance from reference"));
}
