import Foundation
import XCTest

@testable import KivoModelsTool
@testable import KivoSourceModel

/// The settings of a target decide to which actor its classes belong.
final class PackageManifestTests: XCTestCase {
    private static let manifest = """
        // swift-tools-version: 6.2
        import PackageDescription

        let strict: [SwiftSetting] = [.enableUpcomingFeature("ExistentialAny")]
        let isolated: [SwiftSetting] = strict + [.defaultIsolation(MainActor.self)]
        let package = Package(
            name: "App",
            targets: [
                .target(name: "Core", swiftSettings: strict),
                .target(name: "Open", swiftSettings: [.defaultIsolation(nil)]),
                .executableTarget(name: "App", dependencies: ["Core"], swiftSettings: [.defaultIsolation(MainActor.self)]),
                .target(name: "Views", swiftSettings: isolated),
                .target(name: "Older", swiftSettings: [.unsafeFlags(["-default-isolation", "MainActor"])]),
                .target(name: "Inferring", swiftSettings: [.enableUpcomingFeature("InferIsolatedConformances")]),
                .testTarget(name: "AppTests", dependencies: ["App"]),
            ])

        """

    private func isolation(_ text: String, _ target: String) throws -> IsolationSettings {
        let directory = FileManager.default.temporaryDirectory.appendingPathComponent(
            "kivo-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: directory) }
        let file = directory.appendingPathComponent("Package.swift")
        try text.write(to: file, atomically: true, encoding: .utf8)
        let dump = ParserDump(compiler: try XCTUnwrap(ParserDump.installedCompiler()))
        return try XCTUnwrap(PackageManifest(path: file.path, dump)).isolation(ofTarget: target)
    }

    func testSettingsOfTargets() throws {
        let expected = [
            "App": true, "Views": true, "Older": true, "Core": false, "Open": false, "Inferring": false,
            "AppTests": false,
        ]
        for (target, isMainActor) in expected {
            let found = try isolation(Self.manifest, target)
            XCTAssertEqual(found.isMainActorByDefault, isMainActor, target)
            XCTAssertEqual(found.infersConformances, isMainActor || target == "Inferring", target)
        }
    }

    func testSettingsOfAllTargets() throws {
        let loop = """
            for target in package.targets {
                var settings = target.swiftSettings ?? []
                settings.append(.defaultIsolation(MainActor.self))
                target.swiftSettings = settings
            }

            """
        for target in ["Core", "AppTests"] {
            XCTAssertTrue(try isolation(Self.manifest + loop, target).isMainActorByDefault, target)
        }
    }

    /// A class of such a target belongs to the main actor without an attribute, and its conformance only if one of its members does.
    func testClassesOfMainActorTargets() throws {
        let source = SourceText(
            path: "A.swift",
            """
            import Foundation
            import KivoObserving
            class Page: KeyValueObservable { @Observed var title = "" }
            class Sheet: NSObject, KeyValueObservable { @Observed var title = "" }
            class Isolated: @MainActor KeyValueObservable { @Observed var title = "" }
            class Inferred: KeyValueObservable {
                @Observed var title = ""
                class func computedProperties() -> [String: AnyKeyPath] { [:] }
            }
            class Object: KeyValueObject { @Observed var title = "" }
            class Load: KeyValueOperation, @unchecked Sendable { @Observed var title = "" }
            nonisolated class Free: KeyValueObservable { @Observed var title = "" }
            """)
        var loaded = try Fixture.loader().load([source])
        XCTAssertEqual(ModelChecks.diagnostics(of: loaded.program), [])
        loaded.isolation["A.swift"] = IsolationSettings(isMainActorByDefault: true, infersConformances: true)
        let found = ModelChecks.diagnostics(of: loaded.program)
        XCTAssertEqual(found.map(\.location.line), [3, 4], "\(found)")
        XCTAssertTrue(found.allSatisfy { $0.message.contains("'@MainActor KeyValueObservable'") }, "\(found)")
    }
}
