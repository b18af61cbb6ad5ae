import { accessSync, constants } from 'node:fs'
import { createRequire } from 'node:module'
import { delimiter, dirname, join } from 'node:path'
import { arch, platform } from 'node:process'
import { StartError } from '@attestry/core/errors/configErrors.ts'

/**
 * The path of an anvil binary: from the npm package for this platform, else the first `anvil` on `searchPath` (in the
 * form of `PATH`).
 * @throws StartError if there is neither.
 */
export function findAnvil(searchPath = process.env['PATH'] ?? ''): string {
  const found = findPackagedAnvil() ?? findAnvilOnPath(searchPath)
  if (found === null) {
    throw new StartError(
      `No anvil for ${platform}-${arch} was found: install Foundry (https://getfoundry.sh) so that \`anvil\` is on the PATH.`,
      { facts: { platform, arch } },
    )
  }
  return found
}

const binaryName = platform === 'win32' ? 'anvil.exe' : 'anvil'

function findPackagedAnvil(): string | null {
  const packageName = `@foundry-rs/anvil-${platform}-${arch === 'x64' ? 'amd64' : arch}`
  try {
    const manifest = createRequire(import.meta.url).resolve(`${packageName}/package.json`)
    const binary = join(dirname(manifest), 'bin', binaryName)
    return isExecutable(binary) ? binary : null
  } catch {
    // npm installs the optional package only on its own platform.
    return null
  }
}

function findAnvilOnPath(searchPath: string): string | null {
  for (const folder of searchPath.split(delimiter)) {
    const binary = join(folder, binaryName)
    if (folder !== '' && isExecutable(binary)) return binary
  }
  return null
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK)
    return true
  } catch {
    return false
  }
}
