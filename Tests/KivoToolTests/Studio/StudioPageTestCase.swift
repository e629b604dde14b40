#if canImport(Glibc) || canImport(Musl) || canImport(Darwin)
import Foundation
import XCTest

/// A test of the page in a browser. It fails if the page reports errors.
class StudioPageTestCase: StudioTestCase {
    private(set) var browser: WebDriver!
    typealias Key = WebDriver.Key

    override func tearDownWithError() throws {
        if let browser {
            XCTAssertEqual(try browser.errors(), [])
            browser.end()
        }
        browser = nil
        try super.tearDownWithError()
    }

    /// Opens the page at an address after "#".
    func show(_ place: String, isWritable: Bool = false, width: Int = 1280) throws {
        browser = try WebDriver(width: width)
        try serve(isWritable: isWritable)
        // The first address was used by the test itself.
        XCTAssertEqual(printedAddresses.count, 2)
        try browser.open(printedAddresses[1])
        try go(place)
    }

    func go(_ place: String) throws {
        try browser.run("location.hash = arguments[0]", place)
        try browser.wait("document.querySelector('#main > *')")
    }
}
#endif
