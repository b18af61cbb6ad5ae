import { execFileSync } from 'node:child_process'
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { publint } from 'publint'

export const root = fileURLToPath(new URL('../..', import.meta.url))

/** Variables by which npm tells its children where the registry is and how it is reached, proxies and authorities too. */
const registrySetting = /^npm_config_(userconfig|globalconfig|registry|cafile|proxy|https_proxy|noproxy)$/

/** Longest duration of a command. npm tries an unreachable registry again for a quarter of an hour. */
const timeout = 180_000

/** Runs a command without what npm told this very run of this project, as in a shell of its own. */
export function run(command: string, parameters: readonly string[], cwd: string): string {
  const kept = Object.entries(process.env).filter(
    ([name]) => !/^npm_/i.test(name) || registrySetting.test(name),
  )
  const env = Object.fromEntries(kept)
  return execFileSync(command, parameters, {
    cwd,
    env,
    timeout,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'pipe'],
  })
}

/** The faults that publint finds in the form of a package; empty for a good one. */
export async function findFormProblems(pkgDir: string): Promise<readonly unknown[]> {
  return (await publint({ pkgDir, strict: true })).messages
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
