//! What the build script of russimp-sys-ng names of reqwest. It would call it with the feature `prebuilt` only, which is off.

/// Requests that block.
pub mod blocking {
    use std::io;

    /// Never made: nothing is requested.
    pub enum Response {}

    impl Response {
        /// # Errors
        ///
        /// Never.
        pub fn bytes(self) -> io::Result<Vec<u8>> {
            match self {}
        }
    }

    /// # Errors
    ///
    /// Always: nothing is downloaded.
    pub fn get(url: impl AsRef<str>) -> io::Result<Response> {
        let url = url.as_ref();
        Err(io::Error::other(format!("builds of skincheck compile assimp and do not download {url}")))
    }
}
