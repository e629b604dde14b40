// swift-tools-version: 6.1

import PackageDescription

/// Small programs that use Kivo as applications do. `.ci/run` builds and runs them.
let package = Package(
    name: "Examples",
    platforms: [.macOS(.v15), .iOS(.v18)],
    dependencies: [.package(name: "Kivo", path: "../..")],
    targets: ["TodoServer", "FolderWatch", "Pipeline", "Shelf"].map {
        .executableTarget(name: $0, dependencies: [.product(name: "Kivo", package: "Kivo")])
    }
        + ["OrderShop", "OrderTill"].map {
            .executableTarget(
                name: $0,
                dependencies: [
                    .product(name: "Kivo", package: "Kivo"), .product(name: "KivoEtcd", package: "Kivo"),
                ])
        } + [
            .executableTarget(
                name: "Progress", dependencies: [.product(name: "KivoObserving", package: "Kivo")])
        ],
    swiftLanguageModes: [.v6]
)
