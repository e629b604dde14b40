// swift-tools-version: 6.1

import PackageDescription

/// A package outside of this one, from the plugins' view: its targets have models, and one has mistakes in them.
let package = Package(
    name: "PluginPackage",
    platforms: [.macOS(.v15)],
    dependencies: [.package(name: "Kivo", path: "../..")],
    targets: [
        .target(name: "Shared", dependencies: [.product(name: "Kivo", package: "Kivo")]),
        .executableTarget(
            name: "Library", dependencies: ["Shared", .product(name: "Kivo", package: "Kivo")],
            plugins: [.plugin(name: "KivoModels", package: "Kivo")]),
        .target(
            name: "Faulty", dependencies: ["Shared", .product(name: "Kivo", package: "Kivo")],
            swiftSettings: [.unsafeFlags(["-default-isolation", "MainActor"])],
            plugins: [.plugin(name: "KivoModels", package: "Kivo")]),
    ],
    swiftLanguageModes: [.v6]
)
