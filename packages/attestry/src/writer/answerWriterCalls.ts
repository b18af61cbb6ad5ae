import type { MessagePort } from 'node:worker_threads'
import { packError } from '@attestry/core/errors/packError.ts'
import { openCommitTeller } from '@attestry/core/changes/commitHints.ts'
import type { IndexWriter } from '@attestry/core/index/indexWriter.ts'
import type { WriterAnswer, WriterCall } from './writerMessages.ts'

/**
 * Calls the writer for each message of a port, in the order of the messages and without waiting for earlier calls, as
 * direct calls would. Answers each call when it settles, and tells the other threads of commits that change answers. The
 * port is closed after the writer.
 */
export function answerWriterCalls(port: MessagePort, writer: IndexWriter): void {
  const commits = openCommitTeller()
  port.on('message', (call: WriterCall) => void answer(call))

  async function answer(call: WriterCall): Promise<void> {
    const { id } = call
    try {
      send({ kind: 'done', id, result: await makeCall(writer, call) })
      if (tellingMethods.has(call.method)) commits.tell()
    } catch (error) {
      refuse(id, error)
    }
    if (call.method !== 'close') return
    commits.close()
    port.close()
  }

  function refuse(id: number, error: unknown): void {
    const packed = packError(error)
    try {
      send({ kind: 'refused', id, error: packed })
    } catch {
      // Facts that cannot be cloned are left out: the caller must get an answer.
      send({ kind: 'refused', id, error: { ...packed, facts: {} } })
    }
  }

  function send(message: WriterAnswer): void {
    port.postMessage(message)
  }
}

/** The methods that may change the version of the index. */
const tellingMethods: ReadonlySet<keyof IndexWriter> = new Set(['applyBlocks', 'revertBlocks'])

function makeCall(writer: IndexWriter, { method, args }: WriterCall): Promise<unknown> {
  // `WriterCall` pairs methods with arguments; destructuring loses the pairing.
  const made = writer[method] as (...args: readonly unknown[]) => Promise<unknown>
  return made(...args)
}
