// swift-tools-version: 6.2

import PackageDescription

/// Programs that use Kivo under other settings of the compiler than its own. `.ci/run` runs their tests.
let package = Package(
    name: "LanguageModes",
    platforms: [.macOS(.v15), .iOS(.v18)],
    dependencies: [.package(name: "Kivo", path: "../..")],
    targets: [
        ("MainActorTests", [.defaultIsolation(MainActor.self)]),
        ("Swift5Tests", [.swiftLanguageMode(.v5)]),
        (
            "StrictTests",
            [
                .strictMemorySafety(), .enableUpcomingFeature("ExistentialAny"),
                .enableUpcomingFeature("InferIsolatedConformances"),
                .enableUpcomingFeature("InternalImportsByDefault"),
                .enableUpcomingFeature("MemberImportVisibility"),
                .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
            ]
        ),
    ].map { name, settings in
        .testTarget(
            name: name, dependencies: [.product(name: "Kivo", package: "Kivo")],
            swiftSettings: settings + [.treatAllWarnings(as: .error)])
    },
    swiftLanguageModes: [.v6]
)
