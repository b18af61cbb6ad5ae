import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { chromium } from 'playwright-core'
import type { TestProject } from 'vitest/node'
import { buildForTests } from './browser/buildForTests.ts'
import { launchOptions } from './browser/launchOptions.ts'
import { fillExplorerIndex } from './fixture/fillExplorerIndex.ts'

declare module 'vitest' {
  interface ProvidedContext {
    /** The WebSocket endpoint of the shared browser. */
    readonly browserEndpoint: string
    /** A build of the explorer. */
    readonly explorerBuild: string
    /** An index with the content of the demo and unusual records; read-only. */
    readonly explorerIndex: string
  }
}

/** Enough attestations for every list to have several pages of 100. */
const attestations = 1_500

/** Compiling and collecting garbage beside a page would take a third of its processor time. */
const oneThread = '--js-flags=--single-threaded'

/** Starts the browser and makes the build and the index that all browser tests share. */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  const folder = mkdtempSync(join(tmpdir(), 'attestry-browser-'))
  const index = join(folder, 'index.db')
  const build = await buildForTests()
  await fillExplorerIndex(index, { attestations, odd: true, agents: true })
  const options = await launchOptions()
  const browser = await chromium.launchServer({ ...options, args: [...(options.args ?? []), oneThread] })
  project.provide('browserEndpoint', browser.wsEndpoint())
  project.provide('explorerBuild', build)
  project.provide('explorerIndex', index)
  return async () => {
    await browser.close()
    for (const path of [folder, build]) rmSync(path, { recursive: true, force: true })
  }
}
