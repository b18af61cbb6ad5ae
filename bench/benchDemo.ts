import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { assertListenable } from '@attestry/host/listenAddress.ts'

export interface DemoFigures {
  /** From the first line that `npm start` prints to the first answer of the API. */
  readonly answerMs: number
  /** From the first line to the first answer with an attestation. */
  readonly recordMs: number
  /** From the first line to the last attestation of the history. */
  readonly filledMs: number
}

/** Attestations of the histories of the demo's chains. */
const historyAttestations = 4_500
const pauseMs = 20

/** Starts the demo as a user does, and waits until its histories are indexed. */
export async function benchDemo(): Promise<DemoFigures> {
  const port = await assertListenable({ host: '127.0.0.1', port: 0 })
  const child = spawn('npm', ['start'], {
    cwd: fileURLToPath(new URL('..', import.meta.url)),
    env: { ...process.env, PORT: String(port) },
    stdio: ['ignore', 'pipe', 'inherit'],
    detached: true,
  })
  const ended = once(child, 'exit')
  try {
    await once(child.stdout, 'data')
    const startMs = performance.now()
    const untilTotal = async (total: number): Promise<number> => {
      for (;;) {
        const found = await fetchTotal(port)
        if (found !== null && found >= total) return performance.now() - startMs
        if (child.exitCode !== null) throw new Error(`the demo ended with code ${child.exitCode}`)
        await new Promise((resolve) => setTimeout(resolve, pauseMs))
      }
    }
    return {
      answerMs: await untilTotal(0),
      recordMs: await untilTotal(1),
      filledMs: await untilTotal(historyAttestations),
    }
  } finally {
    // npm passes no signal on: the group of its processes gets the signal.
    if (child.pid !== undefined) process.kill(-child.pid, 'SIGINT')
    await ended
  }
}

/** The number of attestations; null while nobody answers. */
async function fetchTotal(port: number): Promise<number | null> {
  const answer = await fetch(`http://127.0.0.1:${port}/scan/attestations?size=1`).catch(() => null)
  if (answer === null || !answer.ok) return null
  const { data } = (await answer.json()) as { readonly data: { readonly total: number } }
  return data.total
}
