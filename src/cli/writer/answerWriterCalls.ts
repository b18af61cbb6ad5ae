import type { MessagePort } from 'node:worker_threads'
import { packError } from '../../errors/packError.ts'
import type { IndexWriter } from '../../store/indexWriter.ts'
import type { WriterAnswer, WriterCall } from './writerMessages.ts'

/**
 * Makes the calls that come in at a port, each at once and in the order in which they were sent, so that a writer sees what it would
 * see if it were called directly; answers each when it has settled. The port is closed after the writer is.
 */
export function answerWriterCalls(port: MessagePort, writer: IndexWriter): void {
  port.on('message', (call: WriterCall) => void answer(call))

  async function answer(call: WriterCall): Promise<void> {
    const { id } = call
    try {
      send({ kind: 'done', id, result: await makeCall(writer, call) })
    } catch (error) {
      refuse(id, error)
    }
    if (call.method === 'close') port.close()
  }

  function refuse(id: number, error: unknown): void {
    const packed = packError(error)
    try {
      send({ kind: 'refused', id, error: packed })
    } catch {
      // A fact that cannot be cloned must not keep the caller waiting for ever.
      send({ kind: 'refused', id, error: { ...packed, facts: {} } })
    }
  }

  function send(message: WriterAnswer): void {
    port.postMessage(message)
  }
}

function makeCall(writer: IndexWriter, { method, args }: WriterCall): Promise<unknown> {
  // `WriterCall` pairs each method with its arguments, which is lost where the two are taken apart.
  const made = writer[method] as (...args: readonly unknown[]) => Promise<unknown>
  return made(...args)
}
