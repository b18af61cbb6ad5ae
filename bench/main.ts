import { projections } from '@attestry/test/harness/projections.ts'
import { readFileSync, writeFileSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { migrateSqlite } from '@attestry/store/sqlite/migrateSqlite.ts'
import { openSqliteWriter } from '@attestry/store/sqlite/openSqliteWriter.ts'
import { benchBeside } from './benchBeside.ts'
import { benchChains } from './benchChains.ts'
import { benchContent } from './benchContent.ts'
import { benchDemo } from './benchDemo.ts'
import { benchEas } from './benchEas.ts'
import { benchFields } from './benchFields.ts'
import { benchHead } from './benchHead.ts'
import { benchIngest } from './benchIngest.ts'
import { benchMany } from './benchMany.ts'
import { benchMemory } from './benchMemory.ts'
import { benchLatency } from './benchLatency.ts'
import { benchOffchain } from './benchOffchain.ts'
import { benchReaders } from './benchReaders.ts'
import { benchReplay } from './benchReplay.ts'
import { benchServing } from './benchServing.ts'
import { benchTurns } from './benchTurns.ts'
import { benchWaits } from './benchWaits.ts'
import { fillIndex } from './fillIndex.ts'
import { formatHead } from './formatHead.ts'
import { formatReport, type BenchFigures } from './formatReport.ts'
import { formatReplay } from './formatReplay.ts'
import { formatTable } from './formatTable.ts'
import { percent, verdict, whole } from './formatValues.ts'
import { headTitle, putReport, putSection, replayTitle, waitsTitle } from './keepSection.ts'
import { formatWaits } from './formatWaits.ts'
import { isOfBareServer, readProfiles, stacksOf } from './cpuProfile.ts'
import { drawFlames } from './drawFlames.ts'
import { formatStages } from './profileStages.ts'
import { createSampleIndex } from './sampleIndex.ts'

const help = `npm run bench -- [PART ...] [OPTIONS]

Parts, all three by default:
  serving    the API against a bare node:http server that reads the same rows and sends the same bodies
  ingest     a backfill from a simulated endpoint, end to end
  latency    the API during a backfill, against the API at rest
and, by themselves:
  demo       from the first line of npm start to the first answer, and to the whole history
  beside     requests for a single record beside six of the worst requests of each kind at a time
  many       the status of 10,000 attestations, the holders among 10,000 addresses and the verdicts on them, in SQLite
  offchain   verifications of an off-chain attestation a second, against the verifier of EAS's SDK
  content    a backfill beside 1,000 contents a second that are fetched, verified and kept, against one by itself
  chains     two chains beside one another in PostgreSQL: how long one waits for the other, and commits at a head
  eas        easscan's interface against the program's own GraphQL and the self-hosted indexer's statements, for the same rows
  head       from a block to the answer about its records, on a local chain; --write adds its section
  readers    one, two and four processes that serve one database, of each kind, and what each takes of the processors
  replay     a backfill, and a replay of published chunks, into both databases; --write adds its section
  waits      a backfill with a contract call for each event, from an endpoint that takes 200 ms; --write adds its section
  turns FOLDER  the serving cases by turns against another checkout, processor time counted: --rounds turns of each
  stages FOLDER  the shares of the stages of an answer in the CPU profiles of a folder (BENCH_PROFILE)
  flames FOLDER FILE  draws the CPU profile of the API in such a folder as a flame graph, an SVG image
  fill FILE  only makes a database of the given size, for other measurements

Options:
  --attestations N   records of the index and of the backfill (200000)
  --schemas N        schemas of the index (2000)
  --addresses N      accounts of the index; without it, nearly every recipient is a new one
  --seed N           what the index holds (1)
  --rounds N         interleaved rounds of each case of serving (5)
  --seconds N        length of a round (2)
  --only TEXT        only cases of serving whose name contains this
  --write            write the figures to bench/figures.md; needs all parts
BENCH_PROFILE=FOLDER makes every process write a CPU profile there.
`

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    attestations: { type: 'string', default: '200000' },
    schemas: { type: 'string', default: '2000' },
    addresses: { type: 'string' },
    seed: { type: 'string', default: '1' },
    rounds: { type: 'string', default: '5' },
    seconds: { type: 'string', default: '2' },
    only: { type: 'string', default: '' },
    write: { type: 'boolean', default: false },
    help: { type: 'boolean', short: 'h', default: false },
  },
})
const parts = ['serving', 'ingest', 'latency']
const attestations = Number(values.attestations)
const sample = {
  attestations,
  schemas: Number(values.schemas),
  seed: Number(values.seed),
  ...(values.addresses === undefined ? {} : { addresses: Number(values.addresses) }),
}
const figuresFile = new URL('figures.md', import.meta.url)
const say = (line: string) => void process.stderr.write(`${line}\n`)

if (values.help) process.stdout.write(help)
else if (positionals[0] === 'fill') await fill(positionals[1] ?? 'sample.db')
else if (positionals[0] === 'stages') process.stdout.write(`${formatStages(positionals[1] ?? '.')}\n`)
else if (positionals[0] === 'flames') flames(positionals[1] ?? '.', positionals[2] ?? 'flames.svg')
else if (positionals[0] === 'many') await many()
else if (positionals[0] === 'beside') await beside()
else if (positionals[0] === 'offchain') await offchain()
else if (positionals[0] === 'content') await content()
else if (positionals[0] === 'chains') await chains()
else if (positionals[0] === 'eas') await eas()
else if (positionals[0] === 'demo') await demo()
else if (positionals[0] === 'head') await head()
else if (positionals[0] === 'readers') await readers()
else if (positionals[0] === 'replay') await replay()
else if (positionals[0] === 'waits') await waits()
else if (positionals[0] === 'turns') await turns(positionals[1] ?? '.')
else {
  const unknown = positionals.find((part) => !parts.includes(part))
  if (unknown !== undefined) {
    say(
      `there is no part ${unknown}; the parts are ${parts.join(', ')}, beside, chains, content, demo, eas, flames, head, many, offchain, readers, replay, stages, turns, waits and fill`,
    )
    process.exit(2)
  }
  await bench(positionals.length === 0 ? parts : positionals)
}

function flames(folder: string, file: string): void {
  const profile = readProfiles(folder).find((each) => !isOfBareServer(each))
  if (profile === undefined) {
    say(`${folder} has no CPU profile of the API`)
    process.exit(2)
  }
  writeFileSync(file, drawFlames('all', stacksOf(profile)))
}

async function offchain(): Promise<void> {
  const { ours, sdk } = await benchOffchain(Number(values.rounds), Number(values.seconds))
  say(
    `${Math.round(ours)} verifications a second; EAS's SDK ${Math.round(sdk)}; ratio ${(ours / sdk).toFixed(2)}`,
  )
}

async function beside(): Promise<void> {
  const { only } = values
  const figures = await benchBeside({ attestations, seconds: Number(values.seconds), only, onProgress: say })
  process.stdout.write(
    formatTable([
      ['Beside', 'p99 of a single record', 'at rest', 'Refused', 'Attacks', 'Memory', 'after 10 s', ''],
      ...figures.map(({ name, p99Ms, ratio, refused, attacks, addedMib, keptMib, isWithin }) => [
        name,
        `${p99Ms.toFixed(0)} ms`,
        `× ${ratio.toFixed(0)}`,
        String(refused),
        String(attacks),
        `+${addedMib.toFixed(0)} MiB`,
        `${keptMib > 0 ? '+' : ''}${keptMib.toFixed(0)} MiB`,
        verdict(isWithin),
      ]),
    ]),
  )
}

async function content(): Promise<void> {
  const { without, withContent, fetchedPerSecond, cores } = await benchContent(attestations)
  const ratio = withContent / without
  say(
    `${Math.round(withContent)} events a second beside ${Math.round(fetchedPerSecond)} contents a second; ` +
      `${Math.round(without)} without; ratio ${ratio.toFixed(2)} (target: at least 0.95) ${verdict(ratio >= 0.95)}; cores: ` +
      `${cores.withContent.toFixed(2)} and ${cores.gateway.toFixed(2)} of the gateway, ${cores.without.toFixed(2)} without`,
  )
}

async function chains(): Promise<void> {
  const figures = await benchChains({ attestations, headCommits: 200, onProgress: say })
  const [alone] = figures.heads
  const tenths = (share: number) => `${(share * 100).toFixed(1)} %`
  say(
    `${Math.round(figures.eventsPerSecond)} events a second by both; ${tenths(figures.waitShare)} of ${figures.looks} ` +
      `looks at their sessions find one waiting for a lock (target: at most 2 %) ${verdict(figures.waitShare <= 0.02)}`,
  )
  for (const [statement, share] of figures.waits) say(`  ${tenths(share)}  ${statement}`)
  process.stdout.write(
    formatTable([
      ['A commit at the head of a chain beside', 'p50', 'p99', 'p99, times that alone'],
      ...figures.heads.map(({ beside, p50Ms, p99Ms }) => [
        beside === 'nothing' ? beside : `a backfill of ${beside}`,
        `${p50Ms.toFixed(0)} ms`,
        `${p99Ms.toFixed(0)} ms`,
        (p99Ms / (alone?.p99Ms ?? Number.NaN)).toFixed(1),
      ]),
    ]),
  )
}

async function eas(): Promise<void> {
  const figures = await benchEas(attestations, Number(values.rounds), Number(values.seconds))
  const rows = figures.map(({ name, eas: rate, own, peer }) => [
    name,
    rate.toPrecision(3),
    (rate / own).toFixed(2),
    (rate / peer).toPrecision(3),
  ])
  say(formatTable([['question', 'a second', 'of own GraphQL', 'of the self-hosted peer'], ...rows]))
}

async function latency() {
  const options = { attestations, requestsPerSecond: 200, restSeconds: 15, onProgress: say }
  return {
    together: await benchLatency(options, 'together'),
    apart: await benchLatency(options, 'apart'),
  }
}

async function bench(asked: readonly string[]): Promise<void> {
  const figures: BenchFigures = {
    sample,
    ingest: asked.includes('ingest') ? await ingest() : null,
    latency: asked.includes('latency') ? await latency() : null,
    serving: asked.includes('serving')
      ? await benchServing({
          sample,
          rounds: Number(values.rounds),
          roundSeconds: Number(values.seconds),
          only: values.only,
          onProgress: say,
        })
      : null,
  }
  const report = formatReport(figures, `npm run bench -- ${process.argv.slice(2).join(' ')}`.trim())
  process.stdout.write(report)
  if (!values.write) return
  if (asked.length < parts.length || values.only !== '') say('not written: --write needs all parts')
  else writeReport(report)
}

/** Replaces the sections of the earlier document that the report has, and keeps all others. */
function writeReport(report: string): void {
  writeFileSync(figuresFile, putReport(readFileSync(figuresFile, 'utf8'), report))
}

async function ingest() {
  say(`ingest: a backfill of ${attestations} attestations`)
  const dense = await benchIngest({ attestations, density: 'dense', latencyMs: 0 })
  say('ingest: a backfill of a sparse chain')
  const sparse = await benchIngest({ attestations: 20_000, density: 'sparse', latencyMs: 5 })
  say('ingest: the dense one into PostgreSQL')
  const postgres = await benchIngest({ attestations, density: 'dense', latencyMs: 0 }, 'postgres')
  say('ingest: the index of decoded fields')
  const fields = await benchFields()
  say('ingest: the memory of the whole program')
  const memory = process.platform === 'linux' ? await benchMemory(attestations) : null
  return { dense, sparse, postgres, fields, memory }
}

async function many(): Promise<void> {
  const figures = await benchMany({ sample, rounds: 15, onProgress: say })
  process.stdout.write(
    formatTable([
      ['Request', 'Time', 'Target', '', 'CPU time', 'Answer'],
      ...figures.map(({ name, elapsedMs, cpuMs, bodyBytes, targetMs }) => [
        name,
        `${elapsedMs.toFixed(0)} ms`,
        `≤ ${targetMs} ms`,
        verdict(elapsedMs <= targetMs),
        `${cpuMs.toFixed(0)} ms`,
        `${(bodyBytes / 1024).toFixed(0)} KiB`,
      ]),
    ]),
  )
}

async function demo(): Promise<void> {
  const { answerMs, recordMs, filledMs } = await benchDemo()
  const seconds = (ms: number) => `${(ms / 1000).toFixed(1)} s`
  process.stdout.write(
    formatTable([
      ['From the first line of `npm start` to', 'Time', 'Target', ''],
      ['the first answer', seconds(answerMs), '≤ 5 s', verdict(answerMs <= 5_000)],
      ['the first attestation', seconds(recordMs), '', ''],
      ['the whole history', seconds(filledMs), '', ''],
    ]),
  )
}

async function head(): Promise<void> {
  const section = formatHead(await benchHead({ blockSeconds: 2, blocks: 12, onProgress: say }))
  process.stdout.write(`${section}\n`)
  if (!values.write) return
  writeFileSync(figuresFile, putSection(readFileSync(figuresFile, 'utf8'), headTitle, section))
}

async function readers(): Promise<void> {
  const figures = await benchReaders({
    sample,
    rounds: Number(values.rounds),
    roundSeconds: Number(values.seconds),
    onProgress: say,
  })
  process.stdout.write(
    formatTable([
      ['Request', 'Processes', 'Requests/s', 'Ratio', 'CPU: serving', 'Database', 'Load', 'Processors busy'],
      ...figures.map(({ store, name, processes, requestsPerSecond, ratio, cpuMicroseconds, busy }) => [
        `${store}: ${name}`,
        String(processes),
        whole(requestsPerSecond),
        ratio.toFixed(2),
        ...[cpuMicroseconds.serving, cpuMicroseconds.database, cpuMicroseconds.load].map(
          (each) => `${each.toFixed(0)} µs`,
        ),
        percent(busy),
      ]),
    ]),
  )
}

async function replay(): Promise<void> {
  const figures = []
  for (const kind of ['sqlite', 'postgres'] as const) figures.push(await benchReplay(attestations, kind))
  const section = formatReplay(figures)
  process.stdout.write(`${section}\n`)
  if (!values.write) return
  writeFileSync(figuresFile, putSection(readFileSync(figuresFile, 'utf8'), replayTitle, section))
}

async function waits(): Promise<void> {
  const section = formatWaits(await benchWaits(attestations, Number(values.rounds), say))
  process.stdout.write(`${section}\n`)
  if (!values.write) return
  writeFileSync(figuresFile, putSection(readFileSync(figuresFile, 'utf8'), waitsTitle, section))
}

async function turns(other: string): Promise<void> {
  const figures = await benchTurns({
    other,
    sample,
    turns: Number(values.rounds),
    only: values.only,
    onProgress: say,
  })
  process.stdout.write(
    formatTable([
      ['Request', 'Processor time', 'Of the other', 'Ratio'],
      ...figures.map(({ name, ours, others, ratio, spread }) => [
        name,
        `${ours.toFixed(1)} µs`,
        `${others.toFixed(1)} µs`,
        `${ratio.toFixed(2)} ± ${spread.toFixed(2)}`,
      ]),
    ]),
  )
}

async function fill(path: string): Promise<void> {
  migrateSqlite(path, { projections })
  const writer = openSqliteWriter(path, { projections })
  const result = await fillIndex(writer, createSampleIndex(sample), (events) => {
    if (events % 100_000 < 5_000) say(`${events} events`)
  })
  await writer.close()
  say(`${path}: ${result.events} events, ${Math.round(result.eventsPerSecond)} a second in the store`)
}
