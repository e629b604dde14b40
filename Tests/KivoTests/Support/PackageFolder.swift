import Foundation

/// The folder of the package, for tests that read its sources and articles.
enum PackageFolder {
    static let url = URL(fileURLWithPath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent()

    /// The article of a name.
    static func article(_ name: String) -> URL {
        url.appendingPathComponent("Sources/Kivo/Kivo.docc/\(name).md")
    }
}
