import type { LaunchOptions } from 'playwright-core'
import { findChromium } from './findChromium.ts'

/** Launch options of every browser: headless, also as root. */
export async function launchOptions(): Promise<LaunchOptions> {
  const { executablePath, environment } = await findChromium()
  return {
    executablePath,
    env: environment,
    chromiumSandbox: false,
    // Pages of one context share a process, and with it compiled code (`Stage.withPage`).
    args: ['--no-zygote', '--font-render-hinting=none', '--disable-webgl', '--renderer-process-limit=1'],
  }
}
