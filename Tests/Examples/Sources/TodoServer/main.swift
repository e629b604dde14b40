import Foundation
import Kivo

// A to-do server without its sockets: whatever reads requests calls `handle(_:_:body:)`, from any thread.

let store = try TodoStore(.init(inMemoryIdentifier: "todos", objectTypes: [Todo.self])) { count in
    print("\(count) open")
}

/// Carries out a request, and prints it with its reply, behind what the listener says of it.
@MainActor func request(_ method: String, _ path: String, _ body: String = "") {
    let reply = store.handle(method, path, body: body)
    store.settle()
    print(method, path, reply.status, reply.body.isEmpty ? "-" : reply.body)
}

store.settle()
request("POST", "/todos", #"{"title": "Water the plants", "number": 0, "isDone": false}"#)
request("POST", "/todos", #"{"title": "Call Ann", "number": 0, "isDone": false}"#)
request("PATCH", "/todos/1")
request("GET", "/todos")
request("DELETE", "/todos/2")
request("GET", "/todos/9")

// Requests of many threads are carried out one after the other.
DispatchQueue.concurrentPerform(iterations: 100) { number in
    let body = #"{"title": "Errand \#(number)", "number": 0, "isDone": true}"#
    if store.handle("POST", "/todos", body: body).status != 201 { fatalError("A request failed.") }
}
let all = store.handle("GET", "/todos").body
print("\(all.components(separatedBy: "\"number\"").count - 1) in all")
