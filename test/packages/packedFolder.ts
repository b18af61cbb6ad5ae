import { execFileSync } from 'node:child_process'
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

export const root = fileURLToPath(new URL('../..', import.meta.url))

/** Runs a command without the settings that npm gave to this very run. */
export function run(command: string, parameters: readonly string[], cwd: string): string {
  const env = { PATH: process.env['PATH'], HOME: process.env['HOME'] }
  return execFileSync(command, parameters, { cwd, env, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] })
}

/** An empty folder into which a package was installed from its file, as its users install it. */
export interface PackedFolder {
  readonly folder: string
  remove(): void
}

/** Packs the package that stands in `source`, and installs the file into a folder of its own. */
export function installPacked(source: string): PackedFolder {
  const folder = mkdtempSync(join(tmpdir(), 'attestry-package-'))
  run('npm', ['pack', source, '--pack-destination', folder, '--silent'], root)
  const [file = ''] = readdirSync(folder)
  writeFileSync(join(folder, 'package.json'), '{"type":"module","private":true}')
  run('npm', ['install', '--prefer-offline', '--no-audit', '--no-fund', `./${file}`], folder)
  return { folder, remove: () => rmSync(folder, { recursive: true, force: true }) }
}
