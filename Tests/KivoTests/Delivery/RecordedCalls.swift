import Kivo

extension RealmTestCase {
    /// Returns the calls that a recorder received since the last time, and forgets them.
    func told(_ recorder: ValueRecorder) -> [String] {
        defer { recorder.calls = [] }
        return recorder.calls
    }
}
