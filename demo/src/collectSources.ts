import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { dirname, join, posix } from 'node:path'
import { fileURLToPath } from 'node:url'

/** Solidity sources by import name. */
export type SoliditySources = Readonly<Record<string, string>>

/** Prefix of the import names of this folder's own sources. */
export const ownPrefix = 'contracts/'

/**
 * Reads `entries` and all their imports. A name that begins with `ownPrefix` is a file of the folder `contracts`; any
 * other name is a file of an npm package. Sources are sorted by name, so that equal sources give equal hashes.
 */
export async function collectSources(entries: readonly string[]): Promise<SoliditySources> {
  const sources = new Map<string, string>()
  const pending = [...entries]
  for (let name = pending.pop(); name !== undefined; name = pending.pop()) {
    if (sources.has(name)) continue
    const text = await readFile(pathOf(name), 'utf8')
    sources.set(name, text)
    for (const match of text.matchAll(importPattern)) {
      const target = match[1] ?? ''
      pending.push(target.startsWith('.') ? posix.join(posix.dirname(name), target) : target)
    }
  }
  return Object.fromEntries([...sources].sort(([a], [b]) => (a < b ? -1 : 1)))
}

const importPattern = /^\s*import\s(?:[^"';]*\sfrom\s)?\s*["']([^"']+)["']\s*;/gm
const contractsFolder = fileURLToPath(new URL('./contracts/', import.meta.url))
const { resolve } = createRequire(import.meta.url)

function pathOf(name: string): string {
  if (name.startsWith(ownPrefix)) return join(contractsFolder, name.slice(ownPrefix.length))
  const [scope = '', bare = '', ...rest] = name.split('/')
  return join(dirname(resolve(`${scope}/${bare}/package.json`)), ...rest)
}
