import { formatTable } from '@attestry/bench/formatTable.ts'
import { explorerTitle } from '@attestry/bench/keepSection.ts'
import type { LoadFigures } from './measureLoad.ts'
import type { ScrollFigures } from './measureScrolling.ts'
import type { FormFactor, LighthouseScores } from './runLighthouse.ts'

export interface ExplorerFigures {
  readonly pages: readonly {
    readonly name: string
    readonly formFactor: FormFactor
    readonly scores: LighthouseScores
  }[]
  readonly load: LoadFigures
  readonly scroll: ScrollFigures
  readonly attestations: number
  /** Lighthouse runs per page. */
  readonly runs: number
  /** Load average of the machine in the minute before the run. */
  readonly loadAverage: number
}

const scoreMin = 95
const scriptBytesMax = 150_000
const contentMsMax = 1_000

/** The figures as a section of `bench/figures.md`. */
export function formatExplorerSection(figures: ExplorerFigures, command: string): string {
  const { pages, load, scroll, attestations, runs, loadAverage } = figures
  const contentMs = load.contentMs[load.contentMs.length >> 1] ?? Number.NaN
  return `${explorerTitle}

Made by \`${command}\` on ${new Date().toISOString().slice(0, 10)}, over the demo's content with ${attestations.toLocaleString('en-GB')} attestations. Browser and service share the
processors. Lighthouse, the median of ${runs} runs of each page: points of 100, at least ${scoreMin} wanted. \`phone\` has a slow network and
a quarter of this processor. The load average before was ${loadAverage.toFixed(1)}: above 0.5, other work takes part in the figures.

${formatTable([
  [
    'Page',
    'On',
    'Performance',
    'Accessibility',
    'Best practices',
    'First paint',
    'Largest paint',
    'Blocked',
    'Shift',
  ],
  ...pages.map(({ name, formFactor, scores }) => [
    name,
    formFactor,
    String(scores.performance),
    String(scores.accessibility),
    String(scores.bestPractices),
    milliseconds(scores.firstContentfulPaintMs),
    milliseconds(scores.largestContentfulPaintMs),
    milliseconds(scores.blockingMs),
    scores.layoutShift.toFixed(3),
  ]),
])}

${formatTable([
  ['', 'Measured', 'Target', ''],
  [
    'JavaScript of the first load, compressed',
    `${(load.scriptBytes / 1000).toFixed(1)} kB in ${load.scripts} files`,
    `< ${scriptBytesMax / 1000} kB`,
    verdict(load.scriptBytes < scriptBytesMax),
  ],
  [
    `Home page until its records are seen, cold cache, median of ${load.contentMs.length}`,
    milliseconds(contentMs),
    `≤ ${contentMsMax} ms`,
    verdict(contentMs <= contentMsMax),
  ],
  [
    `Frames that came late while a list of 100 rows was scrolled`,
    `${scroll.dropped} of ${scroll.frames}; longest ${milliseconds(scroll.longestMs)}`,
    '0',
    verdict(scroll.dropped === 0),
  ],
])}`
}

/** Missed targets, one line each. */
export function listMisses({ pages }: ExplorerFigures): string[] {
  return pages.flatMap(({ name, formFactor, scores }) => {
    const { performance, accessibility, bestPractices, failed } = scores
    const lowest = Math.min(performance, accessibility, bestPractices)
    return lowest >= scoreMin ? [] : [`${name}, ${formFactor}: ${lowest} points; ${failed.join(', ')}`]
  })
}

function verdict(met: boolean): string {
  return met ? 'met' : '**missed**'
}

function milliseconds(value: number): string {
  return `${Math.round(value).toLocaleString('en-GB')} ms`
}
