import { createRequire } from 'node:module'
import { parentPort, workerData } from 'node:worker_threads'

/**
 * The thread that the Solidity compiler runs in: standard JSON input as `workerData`, standard JSON output as its one
 * message. The compiler leaves handlers of its own behind, so the thread ends itself.
 */
const solc: unknown = createRequire(import.meta.url)('solc')
const compile: unknown = Reflect.get(Object(solc), 'compile')
if (typeof compile !== 'function') throw new TypeError('The package solc has no function `compile`.')
parentPort?.postMessage(Reflect.apply(compile, solc, [workerData]))
parentPort?.close()
