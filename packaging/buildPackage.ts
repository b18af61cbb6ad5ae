import { execFileSync } from 'node:child_process'
import { cpSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { basename, dirname, join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { build, type Plugin } from 'vite'
import { pictureFonts } from '@attestry/server/interfaces/explorer/pictures/pictureFonts.ts'
import { guideFiles } from '@attestry/server/interfaces/guide/guidePages.ts'
import { makeShrinkwrap, type LockedPackages } from './makeShrinkwrap.ts'
import { threads } from './threads.ts'

/**
 * Builds the npm package `attestry` into a folder (`package/` by default): the server and the command line as
 * JavaScript with source maps, and the built explorer. `npm pack ./package` makes a file of it.
 *
 * With `--demo`, builds `@attestry/demo` (`demo-package/` by default): the same, with the demo as the command.
 */

const { values, positionals } = parseArgs({
  options: { demo: { type: 'boolean', default: false } },
  allowPositionals: true,
})
const isDemo = values.demo
const root = fileURLToPath(new URL('..', import.meta.url))
const modules = join(root, 'node_modules')
const target = positionals[0] ?? join(root, isDemo ? 'demo-package' : 'package')

/** Entry points of processes. */
const commands = isDemo
  ? ['../demo/src/demo.js', '../demo/src/main.ts', '../demo/src/solcWorker.ts']
  : ['attestry/src/attestry.js', 'attestry/src/main.ts']

/**
 * Libraries bundled into the package. The program uses only a small part of some (viem has 60 MB). Others have hundreds
 * of small modules, and finding a module takes longer than running it.
 */
const inlined = [
  'viem',
  '@bitauth/libauth',
  '@ethereumjs/mpt',
  '@fastify/swagger-ui',
  '@graphql-yoga/render-graphiql',
  '@ipld/dag-pb',
  '@modelcontextprotocol/server',
  '@noble/hashes',
  '@opentelemetry/api',
  'graphql',
  'hyparquet-writer',
  'marked',
  'multiformats',
  'prom-client',
  'typebox',
  'yaml',
]

/** Libraries of which the package has some files. */
const copiedLibraries = [...new Set(pictureFonts.map(libraryOf))]

const manifest = readManifest('package.json')
/** The libraries of all packages that the program consists of; their versions agree (a test). */
const libraries = Object.assign(
  {},
  ...readdirSync(join(root, 'packages')).map((name) =>
    librariesOf(readManifest(`packages/${name}/package.json`)),
  ),
) as Record<string, string>
const demoManifest = readManifest('demo/package.json')
const demoOptional = demoManifest['optionalDependencies'] as Record<string, string>
/** viem is a whole dependency of the demo, which uses much of viem. */
const inlinedHere = isDemo ? inlined.filter((name) => name !== 'viem') : inlined
const dependencies = Object.fromEntries(
  Object.entries({
    ...libraries,
    ...(isDemo ? librariesOf(demoManifest) : {}),
  }).filter(([name]) => ![...inlinedHere, ...copiedLibraries].includes(name)),
)

/** Members of the manifest that mean the same in the package. */
const keptMembers = [
  ...['name', 'version', 'description', 'keywords', 'homepage', 'bugs', 'repository', 'type', 'license'],
  'engines',
  // The registry of MCP servers compares it with server.json.
  'mcpName',
]

/** Settings of all builds. */
const settings = {
  configFile: false,
  root,
  logLevel: 'warn',
  build: { ssr: true, target: 'node24', sourcemap: true, minify: false },
} as const

/**
 * The modules stand together in a few files, but look for others beside their own place: `import.meta.url` becomes the
 * address that the module would have by itself.
 */
const addressesOfModules: Plugin = {
  name: 'addresses-of-modules',
  transform: (code, id) => {
    const path = relative(join(root, 'packages'), id).replace(/^\.\.\/(?=demo\/)/, '')
    if (path.startsWith('..') || !code.includes('import.meta.')) return null
    if (/import\.meta\.(?:dir|file)name/.test(code)) throw new Error(`${path} must use import.meta.url`)
    const address = `new URL('${distMark}/${path.replace(/\.ts$/, '.js')}', import.meta.url).href`
    return { code: code.replaceAll('import.meta.url', address), map: null }
  },
  renderChunk: (code, { fileName, moduleIds }) => {
    for (const id of moduleIds) noteInlined(id)
    return code.includes(distMark)
      ? { code: code.replaceAll(distMark, relative(dirname(fileName), '') || '.'), map: null }
      : null
  },
}

/** Stands for the way from a file to `dist` until the place of the file is known. */
const distMark = '@dist@'

/** The libraries with a module in the package. */
const inlinedFound = new Set<string>()

rmSync(target, { recursive: true, force: true })
mkdirSync(target, { recursive: true })
await buildServer()
if (isDemo) copyContracts()
copyReferencePage()
copyGuide()
copyVerifiedScript()
copyFonts()
copyExplorer()
copyLicenses()
const copied = isDemo
  ? ['README.md', 'LICENSE']
  : ['README.md', 'CHANGELOG.md', 'LICENSE', 'attestry.schema.json', 'deploy']
for (const name of copied) {
  cpSync(join(root, name), join(target, name), { recursive: true })
}
writeManifest()

function noteInlined(id: string): void {
  const path = /.*\/node_modules\/(.*)/.exec(id)?.[1]
  if (path !== undefined) inlinedFound.add(libraryOf(path))
}

async function buildServer(): Promise<void> {
  await build({
    ...settings,
    plugins: [addressesOfModules],
    // Its entry also loads the code for browsers, which makes Node.js warn of a missing storage.
    resolve: { alias: { debug: 'debug/src/node.js' } },
    ssr: { noExternal: true, external: Object.keys(dependencies), target: 'node' },
    build: {
      ...settings.build,
      outDir: join(target, 'dist'),
      emptyOutDir: true,
      rolldownOptions: {
        input: Object.fromEntries(
          [...commands, ...threads].map((entry) => [
            entry.replace(/^(\.\.\/)?(.*)\.[jt]s$/, '$2'),
            join(root, 'packages', entry),
          ]),
        ),
        output: {
          format: 'es',
          entryFileNames: '[name].js',
          chunkFileNames: 'chunks/[name]-[hash].js',
        },
      },
    },
  })
}

/** The explorer's build stands where the server looks for it; its sources stay behind. */
function copyExplorer(): void {
  const build = join(root, 'packages', 'server', 'src', 'interfaces', 'explorer', 'buildExplorer.ts')
  const folder = execFileSync(process.execPath, [build], { encoding: 'utf8' }).trim()
  cpSync(folder, folder.replace(root.replace(/\/$/, ''), target), { recursive: true })
}

/** The files of the page at `/docs` stand beside the module that serves them. */
function copyReferencePage(): void {
  const folder = join(target, 'dist', 'server', 'src', 'pipeline', 'reference', 'swagger-ui')
  mkdirSync(folder, { recursive: true })
  for (const name of ['swagger-ui.css', 'swagger-ui-bundle.js', 'favicon-32x32.png']) {
    cpSync(join(modules, '@fastify', 'swagger-ui', 'static', name), join(folder, name))
  }
  // The license of Swagger UI is that of this library.
  cpSync(join(modules, '@opentelemetry', 'api', 'LICENSE'), join(folder, 'LICENSE'))
  writeFileSync(join(folder, 'NOTICE'), 'swagger-ui\nCopyright 2020-2021 SmartBear Software Inc.\n')
}

/** The pages of the guide stand beside the module that reads them. */
function copyGuide(): void {
  const folder = join(target, 'dist', 'server', 'src', 'interfaces', 'guide', 'pages')
  mkdirSync(folder, { recursive: true })
  for (const [name, path] of Object.entries(guideFiles)) cpSync(join(root, path), join(folder, `${name}.md`))
}

/** The script for other pages stands beside the module that serves it. */
function copyVerifiedScript(): void {
  const path = join('trust', 'src', 'gate', 'verified.js')
  cpSync(join(root, 'packages', path), join(target, 'dist', path))
}

/** The fonts of pictures stand beside the module that draws them, each with its license. */
function copyFonts(): void {
  const folder = join(target, 'dist', 'server', 'src', 'interfaces', 'explorer', 'pictures', 'fonts')
  mkdirSync(folder, { recursive: true })
  for (const path of pictureFonts) cpSync(join(modules, path), join(folder, basename(path)))
  for (const library of copiedLibraries) {
    for (const file of readdirSync(join(modules, library)).filter((name) => /^licen[cs]e/i.test(name))) {
      cpSync(join(modules, library, file), join(folder, `${basename(library)}.${file}`))
    }
  }
}

/** The package that a path below `node_modules` belongs to. */
function libraryOf(path: string): string {
  return path
    .split('/')
    .slice(0, path.startsWith('@') ? 2 : 1)
    .join('/')
}

/** The licenses of the libraries that are inlined, which ask that their text goes with every copy. */
function copyLicenses(): void {
  const texts = [...inlinedFound].sort().flatMap((name) => {
    const file = readdirSync(join(modules, name)).find((each) => /^licen[cs]e/i.test(each))
    return file === undefined ? [] : [`${name}\n\n${readFileSync(join(modules, name, file), 'utf8')}`]
  })
  writeFileSync(join(target, 'dist', 'LICENSES.txt'), texts.join(`\n${'-'.repeat(80)}\n\n`))
}

/** The sources of contracts that the demo compiles stand beside the module that reads them. */
function copyContracts(): void {
  const folder = join(target, 'dist', 'demo', 'src', 'contracts')
  mkdirSync(folder, { recursive: true })
  const sources = join(root, 'demo', 'src', 'contracts')
  for (const name of readdirSync(sources).filter((each) => each.endsWith('.sol'))) {
    cpSync(join(sources, name), join(folder, name))
  }
}

function readManifest(path: string): Record<string, unknown> {
  return JSON.parse(readFileSync(join(root, path), 'utf8')) as Record<string, unknown>
}

/** The dependencies of a manifest that come from the registry. */
function librariesOf(manifest: Record<string, unknown>): Record<string, string> {
  const dependencies = Object.entries((manifest['dependencies'] ?? {}) as Record<string, string>)
  return Object.fromEntries(dependencies.filter(([name]) => !name.startsWith('@attestry/')))
}

function writeManifest(): void {
  const { name, description } = demoManifest
  const packaged = {
    ...Object.fromEntries(keptMembers.map((member) => [member, manifest[member]])),
    ...(isDemo
      ? {
          ...{ name, description, optionalDependencies: demoOptional },
          bin: { 'attestry-demo': 'dist/demo/src/demo.js' },
          exports: { './package.json': './package.json' },
          files: ['dist', 'explorer', 'npm-shrinkwrap.json'],
        }
      : {
          bin: { attestry: 'dist/attestry/src/attestry.js' },
          // The program is run, not imported.
          exports: { './package.json': './package.json', './attestry.schema.json': './attestry.schema.json' },
          files: [
            'dist',
            'explorer',
            'npm-shrinkwrap.json',
            'deploy',
            'attestry.schema.json',
            'CHANGELOG.md',
          ],
        }),
    dependencies,
  }
  const { packages } = readManifest('package-lock.json') as { readonly packages: LockedPackages }
  writeJson('package.json', packaged)
  writeJson('npm-shrinkwrap.json', makeShrinkwrap(packages, packaged))
}

function writeJson(name: string, content: unknown): void {
  writeFileSync(join(target, name), `${JSON.stringify(content, null, 2)}\n`)
}
