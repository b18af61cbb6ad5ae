import { expect, test } from 'vitest'
import { makeShrinkwrap } from '@attestry/packaging/makeShrinkwrap.ts'

const locked = {
  '': {},
  'node_modules/a': { version: '1.0.0', dependencies: { b: '^2.0.0' }, dev: true },
  'node_modules/a/node_modules/b': { version: '2.0.1', dependencies: { c: '*' } },
  'node_modules/b': { version: '1.0.0' },
  'node_modules/c': { version: '3.0.0', optionalDependencies: { windows: '1.0.0' } },
}

test('a package has the versions of the lock file, and of those only what it depends on', () => {
  const manifest = { name: 'x', version: '0.1.0', dependencies: { a: '1.0.0' } }
  expect(makeShrinkwrap(locked, manifest)).toMatchObject({ name: 'x', version: '0.1.0', lockfileVersion: 3 })
  expect(makeShrinkwrap(locked, manifest)).toHaveProperty('packages', {
    '': { ...manifest, optionalDependencies: {} },
    'node_modules/a': { version: '1.0.0', dependencies: { b: '^2.0.0' } },
    'node_modules/a/node_modules/b': { version: '2.0.1', dependencies: { c: '*' } },
    'node_modules/c': { version: '3.0.0', optionalDependencies: { windows: '1.0.0' } },
  })
})

test('a dependency that is not locked is named', () => {
  expect(() => makeShrinkwrap(locked, { dependencies: { d: '1.0.0' } })).toThrow(
    'package-lock.json has no d, which the package depends on',
  )
})
