import { createRequire } from 'node:module'
import { parentPort, workerData } from 'node:worker_threads'

/**
 * The body of the thread of the Solidity compiler: takes standard JSON input as `workerData`, and sends standard JSON
 * output as its only message. The compiler leaves handlers behind, so that the thread has to close its port.
 */
const solc: unknown = createRequire(import.meta.url)('solc')
const compile: unknown = Reflect.get(Object(solc), 'compile')
if (typeof compile !== 'function') throw new TypeError('The package solc has no function `compile`.')
parentPort?.postMessage(Reflect.apply(compile, solc, [workerData]))
parentPort?.close()
