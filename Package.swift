// swift-tools-version: 6.1

import PackageDescription

/// Thread sanitizer does not see `Synchronization.Mutex` on Linux and takes all that it guards for races. With
/// `KIVO_SANITIZE_THREAD=1` in the environment Kivo is built on locks that it does see:
///
///     KIVO_SANITIZE_THREAD=1 swift test --sanitize=thread --scratch-path .build/thread
///
/// With `KIVO_PORTABLE_STRINGS=1` strings are used as they are on platforms where nothing is known of how they lie in
/// memory:
///
///     KIVO_PORTABLE_STRINGS=1 swift test --scratch-path .build/portable
let engineSettings: [SwiftSetting] = ["KIVO_SANITIZE_THREAD", "KIVO_PORTABLE_STRINGS"]
    .filter { Context.environment[$0] == "1" }.map { .define($0) }

/// Builds the package itself with what packages that depend on it ask for with the trait of this name:
///
///     KIVO_CHECKED_READS=1 swift build -c release --product kivo-bench --scratch-path .build/checked
let readSettings: [SwiftSetting] =
    Context.environment["KIVO_CHECKED_READS"] == "1" ? [.define("CheckedReads")] : []

/// Operations have a base class where Foundation has no key-value observing.
#if canImport(Darwin)
let adoptedOperations = ["AdoptedOperationsTests.swift", "Models/Operations.swift"]
#else
let adoptedOperations: [String] = []
#endif

let package = Package(
    name: "Kivo",
    platforms: [.macOS(.v15), .iOS(.v18), .tvOS(.v18), .watchOS(.v11), .visionOS(.v2)],
    products: [
        .library(name: "Kivo", targets: ["Kivo"]),
        .library(name: "KivoLog", targets: ["KivoLog"]),
        .library(name: "KivoEtcd", targets: ["KivoEtcd"]),
        .library(name: "KivoObserving", targets: ["KivoObserving"]),
        .library(name: "RealmSwift", targets: ["RealmSwift"]),
        .library(name: "KivoSwiftUI", targets: ["KivoSwiftUI"]),
        .library(name: "KivoTesting", targets: ["KivoTesting"]),
        .library(name: "KivoRealmFiles", targets: ["KivoRealmFiles"]),
        .library(name: "KivoRealmImport", targets: ["KivoRealmImport"]),
        .executable(name: "kivo", targets: ["KivoTool"]),
        .executable(name: "kivo-tour", targets: ["KivoTour"]),
        .executable(name: "kivo-bench", targets: ["KivoBench"]),
        .executable(name: "kivo-faults", targets: ["KivoFaults"]),
        .plugin(name: "KivoModels", targets: ["KivoModels"]),
        .plugin(name: "KivoAdopt", targets: ["KivoAdopt"]),
        .plugin(name: "KivoSchema", targets: ["KivoSchema"]),
    ],
    traits: [
        .trait(
            name: "CheckedReads",
            description: "Checks in release builds, too, that properties are read where their realm belongs.")
    ],
    targets: [
        .target(name: "KivoEngine", swiftSettings: engineSettings),
        .target(name: "KivoObserving", swiftSettings: engineSettings + readSettings),
        .target(name: "KivoLog", dependencies: ["KivoEngine"]),
        .target(name: "KivoJournal", dependencies: ["KivoEngine", "KivoLog"]),
        .target(
            name: "Kivo", dependencies: ["KivoEngine", "KivoJournal", "KivoLog", "KivoObserving"],
            swiftSettings: readSettings),
        .target(name: "KivoEtcd", dependencies: ["Kivo", "KivoEngine", "KivoJournal", "KivoLog"]),
        .target(name: "RealmSwift", dependencies: ["Kivo"]),
        .target(name: "KivoSwiftUI", dependencies: ["Kivo"]),
        .target(name: "KivoTesting", dependencies: ["Kivo", "KivoEngine", "KivoLog"]),
        .target(name: "KivoRealmFiles"),
        .target(name: "KivoRealmImport", dependencies: ["Kivo", "KivoEngine", "KivoRealmFiles"]),
        .target(name: "KivoRealmCommands", dependencies: ["Kivo", "KivoRealmFiles", "KivoRealmImport"]),
        .target(name: "KivoSchemaDrawing"),
        .executableTarget(
            name: "KivoTool",
            dependencies: [
                "Kivo", "KivoEngine", "KivoEtcd", "KivoJournal", "KivoLog", "KivoRealmCommands",
                "KivoRealmImport", "KivoSchemaDrawing", "KivoSourceModel",
            ],
            // Part of the executable, which can be moved and linked statically.
            resources: [.embedInCode("Studio/Page")]),
        .target(name: "KivoSourceModel"),
        .executableTarget(name: "KivoModelsTool", dependencies: ["KivoSourceModel"]),
        .plugin(name: "KivoModels", capability: .buildTool(), dependencies: ["KivoModelsTool"]),
        .executableTarget(name: "KivoSchemaTool", dependencies: ["KivoSchemaDrawing", "KivoSourceModel"]),
        .plugin(
            name: "KivoSchema",
            capability: .command(
                intent: .custom(
                    verb: "kivo-schema",
                    description: "Draws the schema of the package's models, or compares two revisions of it")),
            dependencies: ["KivoSchemaTool"]),
        .executableTarget(name: "KivoAdoptTool", dependencies: ["KivoSourceModel"]),
        .plugin(
            name: "KivoAdopt",
            capability: .command(
                intent: .custom(
                    verb: "kivo-adopt",
                    description:
                        "Rewrites sources that use realm-swift, or '@objc dynamic' properties, for Kivo"),
                permissions: [
                    .writeToPackageDirectory(reason: "It rewrites sources; with '--dry-run' it does not.")
                ]),
            dependencies: ["KivoAdoptTool"]),
        .executableTarget(
            name: "KivoTour", dependencies: ["Kivo"], resources: [.copy("Resources/zoneinfo")]),
        .executableTarget(
            name: "KivoBench",
            dependencies: [
                "Kivo", "KivoEtcd", "KivoLog", "KivoRealmCommands", "KivoRealmFiles", "KivoRealmImport",
            ]),
        .executableTarget(name: "KivoFaults", dependencies: ["Kivo", "KivoEngine", "KivoJournal"]),
        .testTarget(name: "KivoBenchTests", dependencies: ["KivoBench", "TestRandomness"]),
        .testTarget(name: "KivoTourTests", dependencies: ["KivoTour"]),
        .executableTarget(
            name: "KivoEtcdClient", dependencies: ["Kivo", "KivoEtcd"], path: "Tests/KivoEtcdClient"),
        .testTarget(
            name: "KivoEtcdTests",
            dependencies: [
                "Kivo", "KivoEtcd", "KivoEtcdClient", "KivoLog", "KivoTesting", "KivoTool", "TestRandomness",
            ]),
        .testTarget(name: "KivoFaultsTests", dependencies: ["KivoFaults", "TestRandomness"]),
        .testTarget(
            name: "KivoEngineTests", dependencies: ["KivoEngine", "TestRandomness"],
            swiftSettings: engineSettings),
        .testTarget(
            name: "KivoJournalTests",
            dependencies: ["KivoEngine", "KivoFaults", "KivoJournal", "TestRandomness"],
            resources: [.copy("Resources")]),
        .testTarget(name: "KivoObservingTests", dependencies: ["KivoObserving", "TestRandomness"]),
        .target(name: "RealmFileBuilding", path: "Tests/RealmFileBuilding"),
        .target(name: "TestRandomness", path: "Tests/TestRandomness"),
        .testTarget(
            name: "KivoRealmFilesTests",
            dependencies: ["KivoRealmCommands", "KivoRealmFiles", "RealmFileBuilding", "TestRandomness"],
            resources: [.copy("Resources")]),
        .testTarget(
            name: "KivoRealmImportTests",
            dependencies: [
                "Kivo", "KivoRealmCommands", "KivoRealmFiles", "KivoRealmImport", "RealmFileBuilding",
                "TestRandomness",
            ]),
        .testTarget(name: "KivoSchemaDrawingTests", dependencies: ["KivoSchemaDrawing"]),
        .testTarget(
            name: "KivoToolTests",
            dependencies: ["KivoTool", "Kivo", "KivoEngine", "KivoSchemaDrawing", "TestRandomness"]),
        .testTarget(
            name: "KivoPluginTests",
            dependencies: [
                "Kivo", "KivoAdoptTool", "KivoModelsTool", "KivoSchemaDrawing", "KivoSchemaTool",
                "KivoSourceModel", "TestRandomness",
            ],
            resources: [.copy("Fixtures")]),
        .testTarget(
            name: "KivoAdoptedTests",
            dependencies: ["Kivo", "KivoRealmFiles", "KivoRealmImport", "RealmFileBuilding"],
            exclude: ["Files"] + adoptedOperations),
        .testTarget(name: "KivoSwiftUITests", dependencies: ["KivoSwiftUI", "Kivo"]),
        .testTarget(name: "RealmSwiftTests", dependencies: ["RealmSwift", "KivoTesting", "TestRandomness"]),
        .testTarget(
            name: "KivoTests",
            dependencies: [
                "Kivo", "KivoEngine", "KivoJournal", "KivoLog", "KivoTesting", "RealmSwift", "TestRandomness",
            ],
            resources: [.copy("Files/StoredFiles")]),
        .testTarget(
            name: "KivoConformanceTests", dependencies: ["Kivo", "KivoEngine", "TestRandomness"],
            resources: [.copy("Resources")]),
    ],
    swiftLanguageModes: [.v6]
)

/// With `KIVO_RELEASE_TESTS=1` the only tests are those that need nothing of a debug build, and run against what users run:
///
///     KIVO_RELEASE_TESTS=1 swift test -c release --scratch-path .build/release-alone
if Context.environment["KIVO_RELEASE_TESTS"] == "1" {
    package.targets.removeAll { $0.type == .test && $0.name != "KivoConformanceTests" }
}

// The sanitizer is for the suites of code that several threads use. The others take as long to build.
if Context.environment["KIVO_SANITIZE_THREAD"] == "1" {
    let suites: Set = ["KivoEngineTests", "KivoJournalTests", "KivoObservingTests", "KivoTests"]
    package.targets.removeAll { $0.type == .test && !suites.contains($0.name) }
}
