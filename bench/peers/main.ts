import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { peersTitle, putSection } from '../keepSection.ts'
import { benchPeers } from './benchPeers.ts'
import { contenders } from './contenders.ts'
import { formatPeers } from './formatPeers.ts'

const help = `npm run bench:peers -- [OPTIONS]

Installs Ponder and Envio in .cache/peers (800 MB) and measures them and Attestry against one endpoint. Linux alone.

Options:
  --attestations N   attestations of the chain (20000)
  --only TEXT        only contenders whose name contains this: ponder, envio, sqlite, postgresql
  --rounds N         rounds of each request (3)
  --seconds N        length of a round (1)
  --write            write the figures to bench/figures.md; needs all contenders
`

const { values } = parseArgs({
  options: {
    attestations: { type: 'string', default: '20000' },
    only: { type: 'string', default: '' },
    rounds: { type: 'string', default: '3' },
    seconds: { type: 'string', default: '1' },
    write: { type: 'boolean', default: false },
    help: { type: 'boolean', short: 'h', default: false },
  },
})
const attestations = Number(values.attestations)
const asked = contenders.filter(({ name }) => name.toLowerCase().includes(values.only.toLowerCase()))

if (values.help) process.stdout.write(help)
else if (!Number.isInteger(attestations) || attestations < 100)
  refuse('--attestations must be a number from 100 on')
else if (asked.length === 0) refuse(`no contender has ${values.only} in its name`)
else if (values.write && values.only !== '') refuse('--write needs all contenders')
else await bench()

function refuse(reason: string): void {
  process.stderr.write(`${reason}\n`)
  process.exitCode = 2
}

async function bench(): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'attestry-peers-'))
  // When this process exits, its children end and the folder is removed.
  process.on('exit', () => rmSync(folder, { recursive: true, force: true }))
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(130))
  const figures = await benchPeers({
    contenders: asked,
    attestations,
    peers: fileURLToPath(new URL('../../.cache/peers', import.meta.url)),
    folder,
    rounds: Number(values.rounds),
    roundSeconds: Number(values.seconds),
    onProgress: (line) => void process.stderr.write(`${line}\n`),
  })
  const command = ['npm run bench:peers --', ...process.argv.slice(2)].join(' ')
  const section = formatPeers(figures, attestations, command)
  process.stdout.write(`${section}\n`)
  if (!values.write) return
  const file = new URL('../figures.md', import.meta.url)
  writeFileSync(file, putSection(readFileSync(file, 'utf8'), peersTitle, section))
}
