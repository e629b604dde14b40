import Foundation
import KivoObserving

final class Download: Operation, KeyValueObservable, @unchecked Sendable {
    @Observed var fraction = 0.0
    @Observed var server: Server?
    @Observed var mirrors: [Server] = []
    @Observed var owner: Account?
    var retries = 3
    let number = 4
    var percent: Int { Int(fraction * 100) }
    var eta: Int { 0 }

    class func computedProperties() -> [String: AnyKeyPath] { ["percent": \Download.percent] }

    func setUp(_ panel: Panel) {
        addObserver(panel, forKeyPath: "fraction")
        addObserver(panel, forKeyPath: "fracton")  // error: class 'Download' has no property 'fracton'; did you mean 'fraction'?
        willChangeValue(forKey: "isFinished")
        willChangeValue(forKey: "eta")
        addObserver(panel, forKeyPath: "isFinished")
        addObserver(panel, forKeyPath: "isFinishd")  // error: class 'Download' has no property 'isFinishd'; did you mean 'isFinished'?
        addObserver(panel, forKeyPath: "qualityOfService")  // error: class 'Download' has no property 'qualityOfService'; if it is one of 'Operation', give it a name in 'computedProperties()'
        self.removeObserver(panel, forKeyPath: "retries")
        [1].forEach { [weak self] _ in self?.setValue(1, forKey: "retries") }  // error: property 'Download.retries' cannot be set by name: declare it '@Observed'
    }
}

class Server: KeyValueObservable {
    @Observed var host = ""
    var port = 80
    func change() {
        willChangeValue(forKey: "port")
        didChangeValue(forKey: "prot")  // error: class 'Server' has no property 'prot'; did you mean 'port'?
    }
}

class Mirror: Server {
    @Observed var distance = 0
    class func computedProperties() -> [String: AnyKeyPath] { named() }
}

class Near: Server { @Observed var metres = 0 }

class Silent: KeyValueObservable {
    var size = 0
    func show(_ panel: Panel) { addObserver(panel, forKeyPath: "size") }  // warning: nobody announces changes of property 'Silent.size': declare it '@Observed'
}

class Handling: KeyValueObservable {
    @Observed var a = 0
    func value(forUndefinedKey key: String) -> Any? { key }
}

class Person: KeyValueObject {
    @Observed var name = ""
    var age = 0
}

class Employee: Person {
    @Observed var number = 0
    override class func computedProperties() -> [String: AnyKeyPath] { ["badge": \Employee.badge] }
    var badge: String { "" }
    func show(_ panel: Panel) {
        addObserver(panel, forKeyPath: "badge", options: [], context: nil)
        addObserver(panel, forKeyPath: "nam", options: [], context: nil)  // error: class 'Employee' has no property 'nam'; did you mean 'name'?
        setValue(1, forKey: "age")  // error: property 'Employee.age' cannot be set by name: declare it '@Observed'
    }
}

class Work: KeyValueOperation, @unchecked Sendable {
    @Observed var fraction = 0.0
    func show(_ panel: Panel) {
        addObserver(panel, forKeyPath: "isExecuting", options: [], context: nil)
        addObserver(panel, forKeyPath: "fractin", options: [], context: nil)  // error: class 'Work' has no property 'fractin'; did you mean 'fraction'?
    }
}

class View: ViewOfAnotherModule, KeyValueObservable { @Observed var a = 0 }

extension Late: KeyValueObservable {}
class Late { @Observed var a = 0 }

class Free { var a = 0 }

class Account: Object {
    @Persisted var name: String
    @Ignored var session: Server?
}

final class Panel: KeyValueObserver {
    let download = Download()
    var near: Near?

    func show(_ late: Late, _ view: View, _ free: Free, _ other: Unknown, _ account: Account) {
        download.addObserver(self, forKeyPath: "percent", options: [.new], context: nil)
        download.addObserver(self, forKeyPath: "number")
        download.addObserver(self, forKeyPath: "eta")  // error: computed property 'Download.eta' has no name: give it one in 'computedProperties()'
        download.addObserver(self, forKeyPath: "server.host")
        download.addObserver(self, forKeyPath: "server.hosts")  // error: class 'Server' has no property 'hosts'
        download.server?.addObserver(self, forKeyPath: "port")
        download.addObserver(self, forKeyPath: "mirrors.@count")
        download.addObserver(self, forKeyPath: "owner.nam")  // error: class 'Account' has no property 'nam'
        _ = download.value(forKey: "retries")
        _ = download.value(forKey: "retrys")  // error: class 'Download' has no property 'retrys'
        _ = download.mutableArrayValue(forKey: "mirrors")
        download.setValue(0.5, forKey: "fraction")
        download.setValue("", forKeyPath: "server.port")  // error: property 'Server.port' cannot be set by name
        near?.setValue("", forKey: "host")
        near?.setValue(1, forKey: "meters")  // error: class 'Near' has no property 'meters'; did you mean 'metres'?
        Mirror().setValue(1, forKey: "anything")
        Handling().setValue(1, forKey: "anything")
        view.setValue(1, forKey: "anything")
        late.setValue(1, forKey: "b")  // error: class 'Late' has no property 'b'
        free.setValue(1, forKey: "anything")
        other.setValue(1, forKey: "anything")
        let name = "anything"
        download.setValue(1, forKey: name)
        account.setValue("", forKey: "nme")  // error: class 'Account' has no property 'nme'; did you mean 'name'?
        account.setValue("", forKeyPath: "session.host")
        _ = UserDefaults.standard.value(forKey: "anything")
    }
}
