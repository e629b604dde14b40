// swift-tools-version: 6.1

import PackageDescription

let package = Package(
    name: "Kivo",
    platforms: [.macOS(.v15), .iOS(.v18), .tvOS(.v18), .watchOS(.v11), .visionOS(.v2)],
    products: [
        .library(name: "Kivo", targets: ["Kivo"]),
        .library(name: "KivoTesting", targets: ["KivoTesting"]),
        .executable(name: "kivo-tour", targets: ["KivoTour"]),
        .executable(name: "kivo-bench", targets: ["KivoBench"]),
    ],
    targets: [
        .target(name: "KivoEngine"),
        .target(name: "KivoJournal", dependencies: ["KivoEngine"]),
        .target(name: "Kivo", dependencies: ["KivoEngine", "KivoJournal"]),
        .target(name: "KivoTesting", dependencies: ["Kivo"]),
        .executableTarget(
            name: "KivoTour", dependencies: ["Kivo"], resources: [.copy("Resources/zoneinfo")]),
        .executableTarget(name: "KivoBench", dependencies: ["Kivo"]),
        .testTarget(name: "KivoEngineTests", dependencies: ["KivoEngine"]),
        .testTarget(name: "KivoJournalTests", dependencies: ["KivoJournal"]),
        .testTarget(name: "KivoTests", dependencies: ["Kivo", "KivoTesting"]),
        .testTarget(
            name: "KivoConformanceTests", dependencies: ["Kivo"], resources: [.copy("Resources")]),
    ],
    swiftLanguageModes: [.v6]
)
