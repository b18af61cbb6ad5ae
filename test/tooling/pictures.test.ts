import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'

const root = join(import.meta.dirname, '../..')
const read = (path: string) => readFileSync(join(root, path), 'utf8')

test('the pictures of README are of this version: `npm run screenshots` takes them', () => {
  const { version } = JSON.parse(read('package.json')) as { readonly version: string }
  expect(JSON.parse(read('docs/images/made.json'))).toMatchObject({ version })
})

test('README shows every picture that is kept', () => {
  const shown = Array.from(read('README.md').matchAll(/\(docs\/images\/([^)]+)\)/g), ([, name = '']) => name)
  const kept = readdirSync(join(root, 'docs/images')).filter((name) => name.endsWith('.png'))
  expect(shown.toSorted()).toEqual(kept.toSorted())
})
