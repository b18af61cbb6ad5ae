import { readFileSync, writeFileSync } from 'node:fs'
import { loadavg } from 'node:os'
import { parseArgs } from 'node:util'
import { chromium } from 'playwright-core'
import { explorerTitle, putSection } from '@attestry/bench/keepSection.ts'
import { launchOptions } from '../browser/launchOptions.ts'
import { findExamples, type ExamplePaths } from '../fixture/findExamples.ts'
import { demoAttestations, withDemoSite } from '../fixture/withDemoSite.ts'
import { formatExplorerSection, listMisses, type ExplorerFigures } from './formatExplorerSection.ts'
import { measureLoad } from './measureLoad.ts'
import { measureScrolling } from './measureScrolling.ts'
import { runLighthouse, type FormFactor } from './runLighthouse.ts'

const help = `npm run lighthouse -- [OPTIONS]

Measures the explorer in the browser of the tests, over the demo's content: Lighthouse, the first load, scrolling.

Options:
  --runs N   runs of Lighthouse on each page (3)
  --write    write the figures to bench/figures.md
`

const { values } = parseArgs({
  options: {
    runs: { type: 'string', default: '3' },
    write: { type: 'boolean', default: false },
    help: { type: 'boolean', short: 'h', default: false },
  },
})
const say = (line: string) => void process.stderr.write(`${line}\n`)
const loads = 9
const loadBefore = loadavg()

if (values.help) process.stdout.write(help)
else await withDemoSite(measure)

async function measure(siteUrl: string): Promise<void> {
  const [loadAverage = Number.NaN] = loadBefore
  const paths = await findExamples(siteUrl)
  const figures: ExplorerFigures = {
    ...(await measureInBrowser(siteUrl, paths)),
    pages: await runOnPages(siteUrl, paths),
    attestations: demoAttestations,
    runs: Number(values.runs),
    loadAverage,
  }
  const command = `npm run lighthouse -- ${process.argv.slice(2).join(' ')}`.trim().replace(/ --$/, '')
  const section = formatExplorerSection(figures, command)
  process.stdout.write(`${section}\n`)
  if (values.write) {
    const file = new URL('../../../bench/figures.md', import.meta.url)
    writeFileSync(file, putSection(readFileSync(file, 'utf8'), explorerTitle, section))
  }
  for (const miss of listMisses(figures)) {
    say(miss)
    process.exitCode = 1
  }
}

async function measureInBrowser(
  siteUrl: string,
  paths: ExamplePaths,
): Promise<Pick<ExplorerFigures, 'load' | 'scroll'>> {
  say('first load, scrolling')
  const browser = await chromium.launch(await launchOptions())
  try {
    return {
      load: await measureLoad(browser, siteUrl + paths.home, loads),
      scroll: await measureScrolling(browser, siteUrl + paths.list),
    }
  } finally {
    await browser.close()
  }
}

async function runOnPages(siteUrl: string, paths: ExamplePaths): Promise<ExplorerFigures['pages']> {
  const pages: { name: string; formFactor: FormFactor; scores: Awaited<ReturnType<typeof runLighthouse>> }[] =
    []
  for (const formFactor of ['desktop', 'phone'] as const) {
    for (const name of ['home', 'attestation', 'schema', 'address'] as const) {
      say(`lighthouse: ${name}, ${formFactor}`)
      const scores = await runLighthouse(siteUrl + paths[name], formFactor, Number(values.runs))
      pages.push({ name, formFactor, scores })
    }
  }
  return pages
}
