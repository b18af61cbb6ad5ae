import { readdirSync, readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { AttestryError } from './baseError.ts'

describe('docs/errors.md', () => {
  test('lists exactly the codes that the program has', async () => {
    const codes = await collectCodes()
    expect(
      documentedRows()
        .map(({ code }) => code)
        .toSorted(),
    ).toEqual(codes.toSorted())
  })

  test('gives the meaning and the remedy of each code', () => {
    for (const { meaning, remedy } of documentedRows()) {
      expect(meaning).toMatch(/\w.*\.$/)
      expect(remedy).toMatch(/\w.*\.$/)
    }
  })
})

test('no two errors share a code', async () => {
  const codes = await collectCodes()
  expect(new Set(codes).size).toBe(codes.length)
  expect(codes.length).toBeGreaterThan(10)
})

type ErrorClass = new (message: string, options: never) => unknown

/** The codes of all error classes that the families in this folder export. */
async function collectCodes(): Promise<string[]> {
  const families = readdirSync(import.meta.dirname).flatMap(
    (name) => /^(\w+)Errors\.ts$/.exec(name)?.[1] ?? [],
  )
  const modules = await Promise.all(families.map((name): Promise<object> => import(`./${name}Errors.ts`)))
  const classes = modules.flatMap((module) => Object.values(module).filter(isErrorClass))
  // A special case of a concrete error has its code.
  const cases = classes.filter((errorClass) => codeOf(Object.getPrototypeOf(errorClass) as unknown) !== null)
  return classes.filter((each) => !cases.includes(each)).flatMap((each) => codeOf(each) ?? [])
}

/** The code of an error class; null for an abstract one and for anything else. */
function codeOf(errorClass: unknown): string | null {
  if (!isErrorClass(errorClass)) return null
  const instance = new errorClass('', [] as never)
  return instance instanceof AttestryError && typeof instance.code === 'string' ? instance.code : null
}

function isErrorClass(value: unknown): value is ErrorClass {
  return typeof value === 'function' && value.prototype instanceof AttestryError
}

function documentedRows() {
  const text = readFileSync(new URL('../../../../docs/errors.md', import.meta.url), 'utf8')
  return [...text.matchAll(/^\| `([A-Z_]+)` \| (.+?) \| (.+?) \|$/gm)].map(
    ([, code = '', meaning = '', remedy = '']) => ({ code, meaning, remedy }),
  )
}
