import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { findChromium } from '../browser/findChromium.ts'

/** Scores out of 100, and the metrics of the first. */
export interface LighthouseScores {
  readonly performance: number
  readonly accessibility: number
  readonly bestPractices: number
  readonly firstContentfulPaintMs: number
  readonly largestContentfulPaintMs: number
  readonly blockingMs: number
  readonly layoutShift: number
  /** Names of the failed audits of the last two categories. */
  readonly failed: readonly string[]
}

/** `phone` is the default of Lighthouse: a simulated slow network, and a CPU slowed down four times. */
export type FormFactor = 'desktop' | 'phone'

const categories = ['performance', 'accessibility', 'best-practices']

/** Lighthouse is installed beside this file by `npm run lighthouse` alone; it is large. */
const lighthouseCli = fileURLToPath(new URL('node_modules/lighthouse/cli/index.js', import.meta.url))
const reportBytesMax = 64 * 2 ** 20

/** The members that are used of Lighthouse's JSON report. */
interface LighthouseReport {
  readonly runtimeError?: { readonly message: string }
  readonly categories: Readonly<
    Record<
      string,
      {
        readonly score: number | null
        readonly auditRefs: readonly { readonly id: string; readonly weight: number }[]
      }
    >
  >
  readonly audits: Readonly<
    Record<string, { readonly title: string; readonly score: number | null; readonly numericValue?: number }>
  >
}

/** Runs Lighthouse on a page several times; returns the run with the median performance. */
export async function runLighthouse(
  url: string,
  formFactor: FormFactor,
  runs: number,
): Promise<LighthouseScores> {
  const results: LighthouseScores[] = []
  for (let run = 0; run < runs; run++) results.push(await runOnce(url, formFactor))
  const sorted = results.sort((a, b) => a.performance - b.performance)
  const median = sorted[sorted.length >> 1]
  if (median === undefined) throw new RangeError('Lighthouse has to run at least once')
  return median
}

async function runOnce(url: string, formFactor: FormFactor): Promise<LighthouseScores> {
  const browser = await startBrowser()
  try {
    const flags = [
      `--port=${browser.port}`,
      '--output=json',
      '--quiet',
      '--no-enable-error-reporting',
      `--only-categories=${categories.join(',')}`,
      ...(formFactor === 'desktop' ? ['--preset=desktop'] : []),
    ]
    const { stdout } = await promisify(execFile)(process.execPath, [lighthouseCli, url, ...flags], {
      maxBuffer: reportBytesMax,
    })
    const lhr = JSON.parse(stdout) as LighthouseReport
    if (lhr.runtimeError !== undefined) throw new Error(lhr.runtimeError.message)
    const scoreOf = (id: string) => Math.round((lhr.categories[id]?.score ?? 0) * 100)
    const valueOf = (id: string) => lhr.audits[id]?.numericValue ?? Number.NaN
    const failed = ['accessibility', 'best-practices'].flatMap((id) =>
      (lhr.categories[id]?.auditRefs ?? [])
        .filter(({ weight }) => weight > 0)
        .map((ref) => lhr.audits[ref.id])
        .filter((audit) => audit !== undefined && audit.score !== null && audit.score < 1)
        .map((audit) => audit?.title ?? ''),
    )
    return {
      performance: scoreOf('performance'),
      accessibility: scoreOf('accessibility'),
      bestPractices: scoreOf('best-practices'),
      firstContentfulPaintMs: valueOf('first-contentful-paint'),
      largestContentfulPaintMs: valueOf('largest-contentful-paint'),
      blockingMs: valueOf('total-blocking-time'),
      layoutShift: valueOf('cumulative-layout-shift'),
      failed,
    }
  } finally {
    await browser.stop()
  }
}

/** A browser with an empty profile and a remote debugging port. */
async function startBrowser(): Promise<{ readonly port: number; stop(): Promise<void> }> {
  const { executablePath, environment } = await findChromium()
  const profile = mkdtempSync(join(tmpdir(), 'attestry-lighthouse-'))
  const flags = ['--headless', '--no-sandbox', '--no-zygote', '--disable-webgl', '--no-first-run']
  const child = spawn(
    executablePath,
    [...flags, '--remote-debugging-port=0', `--user-data-dir=${profile}`, 'about:blank'],
    { env: environment, stdio: ['ignore', 'ignore', 'pipe'] },
  )
  const port = await new Promise<number>((resolve, reject) => {
    let text = ''
    child.stderr.setEncoding('utf8').on('data', (chunk: string) => {
      text += chunk
      const found = /DevTools listening on ws:\/\/[^:]+:(\d+)/.exec(text)?.[1]
      if (found !== undefined) resolve(Number(found))
    })
    child.once('error', reject)
    child.once('exit', () => reject(new Error(`the browser ended: ${text}`)))
  })
  return {
    port,
    stop: async () => {
      const ended = once(child, 'exit')
      child.kill('SIGKILL')
      await ended
      // The browser's own processes write for a moment after it has ended.
      rmSync(profile, { recursive: true, force: true, maxRetries: 10 })
    },
  }
}
