import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { dirname, join, posix } from 'node:path'
import { fileURLToPath } from 'node:url'

/** Solidity sources by the name under which they import one another. */
export type SoliditySources = Readonly<Record<string, string>>

/** The prefix of our own sources in the names that the compiler sees. */
export const ownPrefix = 'contracts/'

/**
 * Reads `entries` and everything that they import. A name beginning with `ownPrefix` is a file of the folder `contracts`
 * beside this one, any other a file of an npm package. Sources come sorted by name, so that equal ones hash alike.
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
