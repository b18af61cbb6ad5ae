import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { loadavg, tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { putSection, worldTitle } from '../keepSection.ts'
import { benchWorld, type WorldFigures } from './benchWorld.ts'
import { formatWorld } from './formatWorld.ts'
import { worldAttestations } from './shape.ts'
import { openSqliteStore, startPostgresStore } from './worldStores.ts'

const help = `npm run bench:world -- [STORE ...] [OPTIONS]

Makes the attestations of 25 chains with their skew (bench/world/shape.ts), some 17 million, and asks for them in every
way, beside an index of 100,000. Stores, both by default: sqlite, postgres. The whole world takes 21 GB in SQLite and
34 GB in PostgreSQL. Filling takes a quarter to half an hour on two processors.

Options:
  --share N          the part of the world in the large index (0.1)
  --small N          the part in the small one (${smallShare()}: 100,000 attestations)
  --rounds N         rounds of each case, by turns with the other index (3)
  --seconds N        length of a round (0.5)
  --only TEXT        only figures whose name contains this, or one of several with commas: page,groups,verify …
  --folder FOLDER    where the databases are kept for a later run; without it they are removed
  --write            write the figures to bench/figures.md; needs both stores and all figures
`

function smallShare(): number {
  return Number((100_000 / worldAttestations).toPrecision(3))
}

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    share: { type: 'string', default: '0.1' },
    small: { type: 'string', default: String(smallShare()) },
    rounds: { type: 'string', default: '3' },
    seconds: { type: 'string', default: '0.5' },
    only: { type: 'string', default: '' },
    folder: { type: 'string' },
    write: { type: 'boolean', default: false },
    help: { type: 'boolean', short: 'h', default: false },
  },
})
const kinds = ['sqlite', 'postgres'] as const
const asked = positionals.length === 0 ? kinds : positionals
const unknown = asked.find((kind) => !(kinds as readonly string[]).includes(kind))
const isShare = (text: string) => Number(text) >= 0.001 && Number(text) <= 1

if (values.help) process.stdout.write(help)
else if (unknown !== undefined) refuse(`there is no store ${unknown}; the stores are ${kinds.join(' and ')}`)
else if (!isShare(values.share) || !isShare(values.small)) {
  refuse('--share and --small must be numbers from 0.001 to 1')
} else await bench()

function refuse(sentence: string): void {
  process.stderr.write(`${sentence}\n`)
  process.exitCode = 2
}

async function bench(): Promise<void> {
  const before = loadavg()[0] ?? 0
  const stores = await benchStores()
  const loads = [before, loadavg()[0] ?? 0] as const
  const report = formatWorld({ stores, share: Number(values.share), command: commandLine(), loads })
  process.stdout.write(`${report}\n`)
  if (!values.write) return
  if (asked.length < kinds.length || values.only !== '') {
    return refuse('not written: --write needs both stores and all figures')
  }
  const file = new URL('../figures.md', import.meta.url)
  writeFileSync(file, putSection(readFileSync(file, 'utf8'), worldTitle, report))
}

/** Runs the stores in one folder, which is removed afterwards unless `--folder` names it. */
async function benchStores(): Promise<WorldFigures[]> {
  const folder = values.folder === undefined ? makeTemporaryFolder() : resolve(values.folder)
  mkdirSync(folder, { recursive: true })
  try {
    const figures: WorldFigures[] = []
    for (const kind of kinds.filter((each) => asked.includes(each))) {
      const store = kind === 'sqlite' ? openSqliteStore(folder) : await startPostgresStore(folder)
      try {
        figures.push(
          await benchWorld(store, {
            share: Number(values.share),
            smallShare: Number(values.small),
            rounds: Number(values.rounds),
            roundSeconds: Number(values.seconds),
            only: values.only.split(','),
            folder,
            onProgress: (line) => void process.stderr.write(`${line}\n`),
          }),
        )
      } finally {
        await store.stop()
      }
    }
    return figures
  } finally {
    if (values.folder === undefined) rmSync(folder, { recursive: true, force: true })
  }
}

/** Makes the folder accessible to the user of the PostgreSQL server. */
function makeTemporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'attestry-world-'))
  chmodSync(folder, 0o755)
  return folder
}

/** The command as typed, without the folder of the databases. */
function commandLine(): string {
  const typed = process.argv.slice(2).map((word) => (word === values.folder ? 'FOLDER' : word))
  return ['npm run bench:world', ...(typed.length === 0 ? [] : ['--', ...typed])].join(' ')
}
