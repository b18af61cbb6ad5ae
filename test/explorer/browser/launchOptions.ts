import type { LaunchOptions } from 'playwright-core'
import { findChromium } from './findChromium.ts'

/** How the browser is started everywhere: without a window, as root too. */
export async function launchOptions(): Promise<LaunchOptions> {
  const { executablePath, environment } = await findChromium()
  return {
    executablePath,
    env: environment,
    chromiumSandbox: false,
    args: ['--no-zygote', '--font-render-hinting=none', '--disable-webgl'],
  }
}
