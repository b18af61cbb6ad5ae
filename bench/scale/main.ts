import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { putSection, scaleTitle } from '../keepSection.ts'
import { benchScale, type ScaleFigures } from './benchScale.ts'
import { attestationsMin } from './fillScale.ts'
import { formatScale } from './formatScale.ts'
import { openSqliteStore, startPostgresStore, type ScaleStore } from './scaleStores.ts'

const help = `npm run bench:scale -- [STORE ...] [OPTIONS]

Stores, both by default: sqlite, postgres. Ten million attestations take 10 and 20 GB with the index of fields, and about an hour each; the log of PostgreSQL 8 GB more.

Options:
  --attestations N   records of the large index (10000000)
  --small N          records of the small one (100000)
  --rounds N         rounds of each case, in turns with the other index (5)
  --seconds N        length of a round (1)
  --only TEXT        only requests whose name contains this: filter, field, page …
  --folder FOLDER    where the databases are kept for a later run; without it they are removed
  --write            write the figures to bench/figures.md; needs both stores and all requests
`

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    attestations: { type: 'string', default: '10000000' },
    small: { type: 'string', default: '100000' },
    rounds: { type: 'string', default: '5' },
    seconds: { type: 'string', default: '1' },
    only: { type: 'string', default: '' },
    folder: { type: 'string' },
    write: { type: 'boolean', default: false },
    help: { type: 'boolean', short: 'h', default: false },
  },
})
const kinds = ['sqlite', 'postgres']
const asked = positionals.length === 0 ? kinds : positionals
const unknown = asked.find((kind) => !kinds.includes(kind))

if (values.help) process.stdout.write(help)
else if (unknown !== undefined) {
  process.stderr.write(`there is no store ${unknown}; the stores are ${kinds.join(' and ')}\n`)
  process.exitCode = 2
} else if (![values.attestations, values.small].every((count) => Number(count) >= attestationsMin)) {
  process.stderr.write(`--attestations and --small must be numbers from ${attestationsMin} on\n`)
  process.exitCode = 2
} else await bench()

async function bench(): Promise<void> {
  const report = formatScale({
    stores: await benchStores(),
    largeAttestations: Number(values.attestations),
    smallAttestations: Number(values.small),
    command: commandLine(),
  })
  process.stdout.write(`${report}\n`)
  if (!values.write) return
  if (asked.length < kinds.length || values.only !== '') {
    process.stderr.write('not written: --write needs both stores and all requests\n')
    return
  }
  const file = new URL('../figures.md', import.meta.url)
  writeFileSync(file, putSection(readFileSync(file, 'utf8'), scaleTitle, report))
}

/** Runs the stores in one folder, which is removed afterwards unless `--folder` names it. */
async function benchStores(): Promise<ScaleFigures[]> {
  const folder = values.folder === undefined ? makeTemporaryFolder() : resolve(values.folder)
  mkdirSync(folder, { recursive: true })
  try {
    const figures: ScaleFigures[] = []
    for (const kind of kinds.filter((each) => asked.includes(each))) {
      figures.push(
        await benchStore(kind === 'sqlite' ? openSqliteStore(folder) : await startPostgresStore(folder)),
      )
    }
    return figures
  } finally {
    if (values.folder === undefined) rmSync(folder, { recursive: true, force: true })
  }
}

/** Makes the folder accessible to the user of the PostgreSQL server. */
function makeTemporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'attestry-scale-'))
  chmodSync(folder, 0o755)
  return folder
}

/** The command as typed, without the folder of the databases. */
function commandLine(): string {
  const typed = process.argv.slice(2).map((word) => (word === values.folder ? 'FOLDER' : word))
  return ['npm run bench:scale', ...(typed.length === 0 ? [] : ['--', ...typed])].join(' ')
}

async function benchStore(store: ScaleStore): Promise<ScaleFigures> {
  try {
    return await benchScale(store, scaleOptions())
  } finally {
    await store.stop()
  }
}

function scaleOptions() {
  return {
    largeAttestations: Number(values.attestations),
    smallAttestations: Number(values.small),
    rounds: Number(values.rounds),
    roundSeconds: Number(values.seconds),
    only: values.only,
    onProgress: (line: string) => void process.stderr.write(`${line}\n`),
  }
}
