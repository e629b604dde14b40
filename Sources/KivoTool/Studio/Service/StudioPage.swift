import Kivo

/// The files of the page, which are part of the executable.
enum StudioPage {
    struct Asset: Sendable {
        var type: String
        var bytes: [UInt8]
    }

    /// Returns the file at a path, or nil if the page has none.
    static func asset(_ path: String) -> Asset? { assets[path] }

    private static let assets: [String: Asset] = [
        "/": Asset(type: "text/html; charset=utf-8", bytes: PackageResources.index_html),
        "/studio.css": Asset(type: "text/css; charset=utf-8", bytes: PackageResources.studio_css),
        "/icon.svg": Asset(type: "image/svg+xml; charset=utf-8", bytes: PackageResources.icon_svg),
        "/api.js": script(PackageResources.api_js), "/app.js": script(PackageResources.app_js),
        "/changes.js": script(PackageResources.changes_js),
        "/choose.js": script(PackageResources.choose_js),
        "/columns.js": script(PackageResources.columns_js),
        "/copy.js": script(PackageResources.copy_js), "/cursor.js": script(PackageResources.cursor_js),
        "/dom.js": script(PackageResources.dom_js), "/edit.js": script(PackageResources.edit_js),
        "/files.js": script(PackageResources.files_js),
        "/filter.js": script(PackageResources.filter_js), "/find.js": script(PackageResources.find_js),
        "/foot.js": script(PackageResources.foot_js),
        "/head.js": script(PackageResources.head_js),
        "/history.js": script(PackageResources.history_js),
        "/long.js": script(PackageResources.long_js), "/object.js": script(PackageResources.object_js),
        "/past.js": script(PackageResources.past_js), "/rows.js": script(PackageResources.rows_js),
        "/schema.js": script(PackageResources.schema_js),
        "/table.js": script(PackageResources.table_js),
        "/values.js": script(PackageResources.values_js),
        "/words.js": script(Array(words.utf8)),
    ]

    /// The words of predicates, which the parser knows.
    private static var words: String {
        let list = { (words: [String]) in words.map { "\"\($0)\"" }.joined(separator: ", ") }
        return """
            export const words = [\(list(TextQuery.words))];
            export const conditionWords = [\(list(TextQuery.conditionWords))];

            """
    }

    private static func script(_ bytes: [UInt8]) -> Asset {
        Asset(type: "text/javascript; charset=utf-8", bytes: bytes)
    }
}
