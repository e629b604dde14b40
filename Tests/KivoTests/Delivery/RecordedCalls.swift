import Kivo

extension RealmTestCase {
    /// What a recorder was told since it was last asked.
    func told(_ recorder: ValueRecorder) -> [String] {
        defer { recorder.calls = [] }
        return recorder.calls
    }
}
