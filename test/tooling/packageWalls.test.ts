import { existsSync, globSync, readFileSync } from 'node:fs'
import { dirname, join, relative, resolve, sep } from 'node:path'
import { expect, test } from 'vitest'

const root = join(import.meta.dirname, '../..')

/** Packages in the order of their imports: a package imports only earlier ones. */
const core = ['core', 'tracing', 'store', 'host', 'server']
/** Wings of one group do not import each other. Those of the second group stand on the first: dialects and chunks. */
const wings = [
  ['trust', 'agents', 'content', 'hooks', 'verify', 'names'],
  ['subgraphs', 'archive'],
] as const

interface Import {
  readonly file: string
  readonly specifier: string
}

const files = globSync('{packages/*,client,demo,explorer,test,bench,packaging}/**/*.{ts,tsx,js}', {
  cwd: root,
  exclude: (path) => /(?:^|[/\\])(?:node_modules|dist)(?:[/\\]|$)/.test(path),
}).map((path) => path.split(sep).join('/'))

const imports = files.flatMap((file): Import[] =>
  Array.from(
    readFileSync(join(root, file), 'utf8').matchAll(/(?:\bfrom|\bimport\(?)\s*'([^'\n]+)'/g),
    ([, specifier = '']) => ({ file, specifier }),
  ),
)

/** The folder of a workspace: programs within `test` that are installed apart belong to the workspace `test`. */
function packageOf(path: string): string {
  const [first = '', second = ''] = relative(root, path).split(sep)
  return first === 'packages' ? join(first, second) : first
}

const isTest = (file: string) => /\.test\.tsx?$|\/testing\//.test(file)

test('no relative import leaves its package', () => {
  const leaving = imports.filter(({ file, specifier }) => {
    if (!specifier.startsWith('.')) return false
    const target = resolve(root, dirname(file), specifier)
    // A string in a test may hold a program of another place.
    return existsSync(target) && packageOf(target) !== packageOf(join(root, file))
  })
  expect(leaving).toEqual([])
})

test('packages import only packages before them', () => {
  const rank = (name: string) => {
    const group = wings.findIndex((each) => (each as readonly string[]).includes(name))
    if (group >= 0) return core.length + group
    return core.includes(name) ? core.indexOf(name) : core.length + wings.length
  }
  const against = imports.flatMap(({ file, specifier }) => {
    const from = /^packages\/([a-z]+)\//.exec(file)?.[1]
    const to = /^@attestry\/([a-z]+)\//.exec(specifier)?.[1]
    if (from === undefined || to === undefined || from === to || isTest(file)) return []
    return rank(to) < rank(from) ? [] : [`${from} -> ${to}`]
  })
  expect([...new Set(against)]).toEqual([])
})

test('only the list of wings and the demo name wings of other packages', () => {
  const naming = imports.filter(
    ({ file, specifier }) => /^@attestry\/.*Wing\.ts$/.test(specifier) && !isTest(file),
  )
  const files = new Set(naming.map(({ file }) => file).filter((file) => file.startsWith('packages/')))
  expect([...files]).toEqual(['packages/attestry/src/wings.ts'])
})

/** The folders of the core in the order of their imports, with the contracts that a folder may import beside them. */
const coreFolders: Readonly<Record<string, readonly string[]>> = {
  model: [],
  errors: ['model'],
  protocols: ['model', 'errors'],
  index: ['model', 'errors'],
  changes: ['model', 'errors', 'index'],
  shares: ['model', 'errors'],
  chain: ['model', 'errors', 'protocols/protocolAdapter.ts'],
  sync: ['model', 'errors', 'protocols', 'index', 'chain/chainClient.ts'],
}

test('folders of the core import in one direction', () => {
  const against = imports.flatMap(({ file, specifier }) => {
    const folder = /^packages\/core\/src\/([a-z]+)\//.exec(file)?.[1]
    if (folder === undefined || !specifier.startsWith('.') || isTest(file)) return []
    const target = resolve('/', dirname(file), specifier).slice('/packages/core/src/'.length)
    const allowed = [folder, ...(coreFolders[folder] ?? [])]
    return allowed.some((each) => target === each || target.startsWith(`${each}/`))
      ? []
      : [`${file} -> ${target}`]
  })
  expect(against).toEqual([])
})

test('the client and the explorer import only the published interface and the pure parts of packages', () => {
  const allowed = /^@attestry\/(?:client|trust\/(?:statements|proofs|stateProofs)|core\/model)\//
  const against = imports.filter(
    ({ file, specifier }) =>
      /^(?:client|explorer)\/src\//.test(file) &&
      !isTest(file) &&
      /^@attestry\/[a-z]+\/.*\.ts$/.test(specifier) &&
      !allowed.test(specifier),
  )
  expect(against).toEqual([])
})

test('no package has more than eight entries', () => {
  const entries = globSync('packages/*/package.json', { cwd: root }).map((path) => {
    const { exports } = JSON.parse(readFileSync(join(root, path), 'utf8')) as { readonly exports: object }
    return { path, entries: Object.keys(exports).length }
  })
  expect(entries.length).toBeGreaterThan(10)
  expect(entries.filter((each) => each.entries > 8)).toEqual([])
})

test('all workspaces name the same version of a library', () => {
  const versions = new Map<string, Set<string>>()
  const manifests = globSync('{.,packages/*,client,demo,explorer,test,bench,packaging}/package.json', {
    cwd: root,
  })
  for (const path of manifests) {
    const manifest = JSON.parse(readFileSync(join(root, path), 'utf8')) as Record<
      string,
      Record<string, string>
    >
    const named = { ...manifest['dependencies'], ...manifest['devDependencies'] }
    for (const [name, version] of Object.entries(named)) {
      versions.set(name, (versions.get(name) ?? new Set()).add(version))
    }
  }
  expect(versions.size).toBeGreaterThan(20)
  expect([...versions].filter(([, each]) => each.size > 1).map(([name]) => name)).toEqual([])
})
