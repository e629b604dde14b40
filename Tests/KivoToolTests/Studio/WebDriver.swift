#if canImport(Glibc) || canImport(Musl) || canImport(Darwin)
import Foundation
import XCTest

/// A browser without a window, which is driven by the protocol WebDriver of the W3C through `chromedriver`.
final class WebDriver {
    private let process: Process
    private let port: UInt16
    private var session = ""

    /// Returns the path of a program on the PATH.
    static func program(_ name: String) -> String? {
        (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":").map { "\($0)/\(name)" }
            .first { FileManager.default.isExecutableFile(atPath: $0) }
    }

    /// Starts a browser. Skips the test if there is none.
    init(width: Int = 1280, height: Int = 800) throws {
        guard let driver = WebDriver.program("chromedriver") else {
            throw XCTSkip(
                "there is no chromedriver on the PATH: the page of kivo studio is not tested in a browser")
        }
        process = Process()
        process.executableURL = URL(fileURLWithPath: driver)
        process.arguments = ["--port=0"]
        let pipe = Pipe()
        process.standardOutput = pipe
        process.standardError = FileHandle.nullDevice
        try process.run()
        var text = ""
        while !text.contains("started successfully on port ") {
            let data = pipe.fileHandleForReading.availableData
            guard !data.isEmpty else { throw XCTSkip("chromedriver does not start: \(text)") }
            text += String(decoding: data, as: UTF8.self)
        }
        let rest = text.components(separatedBy: "started successfully on port ")[1]
        port = UInt16(rest.prefix { $0.isNumber }) ?? 0
        let arguments = [
            "--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--hide-scrollbars",
            "--window-size=\(width),\(height)",
        ]
        do {
            let value = try call(
                "POST", "/session",
                [
                    "capabilities": [
                        "alwaysMatch": [
                            "goog:chromeOptions": ["args": arguments],
                            "goog:loggingPrefs": ["browser": "ALL"],
                        ]
                    ]
                ])
            session = "/session/" + (try XCTUnwrap((value as? [String: Any])?["sessionId"] as? String))
        } catch {
            process.terminate()
            throw error
        }
        try resize(width, height)
    }

    deinit { end() }

    func end() {
        guard process.isRunning else { return }
        _ = try? call("DELETE", session)
        process.terminate()
        process.waitUntilExit()
    }

    struct Failure: Error, CustomStringConvertible { var description: String }

    /// Sends a command. `URLSession` of Linux rejects the headers of chromedriver's answers.
    @discardableResult
    private func call(_ method: String, _ path: String, _ body: [String: Any]? = nil) throws -> Any {
        let content = try body.map { try JSONSerialization.data(withJSONObject: $0) } ?? Data()
        let connection = try RawConnection(port: port)
        connection.send(
            "\(method) \(path) HTTP/1.1\r\nHost: 127.0.0.1:\(port)\r\nContent-Type: application/json\r\n"
                + "Content-Length: \(content.count)\r\nConnection: close\r\n\r\n")
        connection.send(Array(content))
        guard let answer = connection.readBody() else { throw Failure(description: "\(path): no answer") }
        let json = try JSONSerialization.jsonObject(with: answer) as? [String: Any]
        let value = json?["value"] ?? NSNull()
        if let problem = value as? [String: Any], let error = problem["error"] {
            throw Failure(description: "\(path): \(error): \(problem["message"] ?? "")")
        }
        return value
    }

    // MARK: What a person does

    func open(_ address: String) throws { try call("POST", session + "/url", ["url": address]) }

    func resize(_ width: Int, _ height: Int) throws {
        try command(
            "Emulation.setDeviceMetricsOverride",
            ["width": width, "height": height, "deviceScaleFactor": 1, "mobile": false])
    }

    /// Sets what the person prefers, such as `prefers-color-scheme`.
    func prefer(_ features: [String: String]) throws {
        try command(
            "Emulation.setEmulatedMedia", ["features": features.map { ["name": $0.key, "value": $0.value] }])
    }

    private func command(_ name: String, _ parameters: [String: Any]) throws {
        try call("POST", session + "/goog/cdp/execute", ["cmd": name, "params": parameters])
    }

    /// Presses keys, one after the other. Names of keys are those of ``Key``.
    func press(_ keys: String...) throws {
        var actions: [[String: Any]] = []
        for text in keys {
            for key in text {
                actions.append(["type": "keyDown", "value": String(key)])
                actions.append(["type": "keyUp", "value": String(key)])
            }
        }
        try perform(actions)
    }

    /// Presses a key while another is held.
    func press(_ key: String, holding held: String) throws {
        try perform([
            ["type": "keyDown", "value": held], ["type": "keyDown", "value": key],
            ["type": "keyUp", "value": key],
            ["type": "keyUp", "value": held],
        ])
    }

    private func perform(_ actions: [[String: Any]]) throws {
        try call(
            "POST", session + "/actions",
            ["actions": [["type": "key", "id": "keyboard", "actions": actions]]])
    }

    enum Key {
        static let enter = "\u{E007}", escape = "\u{E00C}", tab = "\u{E004}", down = "\u{E015}",
            right = "\u{E014}"
        static let end = "\u{E010}", control = "\u{E009}", shift = "\u{E008}", delete = "\u{E017}",
            back = "\u{E003}"
    }

    /// Clicks the first element of a selector.
    func click(_ selector: String, times: Int = 1, holding held: String? = nil) throws {
        let element = try XCTUnwrap(
            try call("POST", session + "/element", ["using": "css selector", "value": selector])
                as? [String: String])
        let origin: [String: String] = element
        var actions: [[String: Any]] = [["type": "pointerMove", "origin": origin, "x": 0, "y": 0]]
        for _ in 0..<times {
            actions += [["type": "pointerDown", "button": 0], ["type": "pointerUp", "button": 0]]
        }
        let pointer: [String: Any] = ["type": "pointer", "id": "mouse", "actions": actions]
        guard let held else {
            try call("POST", session + "/actions", ["actions": [pointer]])
            return
        }
        var keys: [[String: Any]] = [["type": "keyDown", "value": held]]
        keys += Array(repeating: ["type": "pause"], count: actions.count - 1)
        keys.append(["type": "keyUp", "value": held])
        let keyboard: [String: Any] = ["type": "key", "id": "keyboard", "actions": keys]
        try call("POST", session + "/actions", ["actions": [pointer, keyboard]])
    }

    // MARK: What a person sees

    /// Runs a function's body and returns its result.
    @discardableResult
    func run(_ script: String, _ arguments: Any...) throws -> Any {
        try call("POST", session + "/execute/sync", ["script": script, "args": arguments])
    }

    /// Returns the visible text of the first element of a selector; nil if there is none.
    func text(_ selector: String) throws -> String? {
        try run("return document.querySelector(arguments[0])?.innerText ?? null", selector) as? String
    }

    func count(_ selector: String) throws -> Int {
        try XCTUnwrap(try run("return document.querySelectorAll(arguments[0]).length", selector) as? Int)
    }

    /// Waits until an expression is true, for at most a minute.
    func wait(_ expression: String, file: StaticString = #filePath, line: UInt = #line) throws {
        let end = ContinuousClock.now + .seconds(60)
        while ContinuousClock.now < end {
            if try run("return Boolean(\(expression))") as? Bool == true { return }
            usleep(25_000)
        }
        XCTFail("never: \(expression)\n\(try text("body") ?? "")", file: file, line: line)
    }

    /// Returns what the page reported as errors, without refusals that the page shows.
    func errors() throws -> [String] {
        let log = try call("POST", session + "/se/log", ["type": "browser"]) as? [[String: Any]] ?? []
        return log.filter { $0["level"] as? String == "SEVERE" }.compactMap { $0["message"] as? String }
            .filter { message in ![409, 410, 422].contains { message.contains("with a status of \($0)") } }
    }

    /// Returns a picture of the window, as PNG.
    func picture() throws -> Data {
        try XCTUnwrap(Data(base64Encoded: try XCTUnwrap(try call("GET", session + "/screenshot") as? String)))
    }
}
#endif
