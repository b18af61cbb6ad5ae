import { readdir, readFile } from 'node:fs/promises'
import { extname, join } from 'node:path'
import type { ContentCoding } from '../../pipeline/answers/negotiateEncoding.ts'
import { createFixedAnswer, type FixedAnswer } from '../../pipeline/answers/fixedAnswer.ts'
import type { ExplorerBuild } from './explorerSource.ts'
import { listPageParts, type BuiltPart } from './listPageParts.ts'
import { createPageTemplate } from './pageTemplate.ts'

/** The page of a build, from which all others are made. */
export const pageFile = 'index.html'

/** Vite's list of the files made from each source; not served. */
const manifestFile = 'manifest.json'

/** Compressed copies stand beside a file under its name and one of these. */
export const compressedSuffixes: Readonly<Record<Exclude<ContentCoding, 'identity'>, string>> = {
  br: '.br',
  gzip: '.gz',
}

const mediaTypes: Readonly<Record<string, string>> = {
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.ico': 'image/x-icon',
  '.woff2': 'font/woff2',
  '.json': 'application/json; charset=utf-8',
  '.webmanifest': 'application/manifest+json',
  '.txt': 'text/plain; charset=utf-8',
}

/** These names contain a hash of the content: a name never stands for other content. */
const hashedFolder = '/assets/'
const immutableCacheControl = 'public, max-age=31536000, immutable'

/**
 * Reads a build of the explorer into memory.
 * @throws Error of the file system where the folder holds no build.
 */
export async function readExplorerBuild(folder: string): Promise<ExplorerBuild> {
  const html = await readFile(join(folder, pageFile), 'utf8')
  const names = await listFiles(folder)
  const present = new Set(names)
  const suffixes = Object.values(compressedSuffixes)
  const isCompressedCopy = (name: string) =>
    suffixes.some((suffix) => name.endsWith(suffix) && present.has(name.slice(0, -suffix.length)))
  const served = names.filter((name) => name !== pageFile && name !== manifestFile && !isCompressedCopy(name))
  const files = new Map<string, FixedAnswer>()
  for (const name of served) files.set(`/${name}`, await readServedFile(folder, name, present))
  const manifest = present.has(manifestFile) ? await readFile(join(folder, manifestFile), 'utf8') : '{}'
  return {
    template: createPageTemplate(html),
    // Vite's own file, of the same build as the page.
    parts: listPageParts(JSON.parse(manifest) as Record<string, BuiltPart>, html),
    files,
  }
}

async function readServedFile(
  folder: string,
  name: string,
  present: ReadonlySet<string>,
): Promise<FixedAnswer> {
  const answer = createFixedAnswer(await readFile(join(folder, name)), {
    'content-type': mediaTypes[extname(name)] ?? 'application/octet-stream',
    'cross-origin-resource-policy': 'same-origin',
    ...(`/${name}`.startsWith(hashedFolder) ? { 'cache-control': immutableCacheControl } : {}),
  })
  for (const [coding, suffix] of Object.entries(compressedSuffixes) as [ContentCoding, string][]) {
    if (!present.has(name + suffix)) continue
    const form = await readFile(join(folder, name + suffix))
    answer.forms.set(coding, Promise.resolve(form))
  }
  return answer
}

async function listFiles(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true })
  return entries
    .filter((entry) => entry.isFile())
    .map((entry) =>
      join(entry.parentPath, entry.name)
        .slice(folder.length + 1)
        .replaceAll('\\', '/'),
    )
}
