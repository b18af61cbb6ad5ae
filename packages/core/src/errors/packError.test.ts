import { readdirSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { AttestryError } from './baseError.ts'
import { packError, unpackError } from './packError.ts'
import { StoreUnavailableError } from './storeErrors.ts'

/** As an error arrives in another thread. */
function sent(error: unknown): Error {
  return unpackError(structuredClone(packError(error)))
}

describe('an error that goes to another thread', () => {
  test('keeps its class for each error class but those of the API', async () => {
    const classes = await listClasses()
    expect(classes.length).toBeGreaterThan(10)
    for (const errorClass of classes) {
      const error = new errorClass('what happened', { retryable: true, facts: { chainId: 5, place: 7n } })
      const arrived = sent(error)
      expect(arrived).toBeInstanceOf(errorClass)
      expect(arrived).toMatchObject({
        name: errorClass.name,
        code: error.code,
        message: 'what happened',
        retryable: true,
        facts: { chainId: 5, place: 7n },
        stack: error.stack,
      })
    }
  })

  test('keeps what caused it, to the first', () => {
    const first = new TypeError('no file')
    const second = new StoreUnavailableError('no disk', { cause: first, facts: { path: 'x' } })
    const arrived = sent(new StoreUnavailableError('no database', { cause: second }))
    expect(arrived.cause).toBeInstanceOf(StoreUnavailableError)
    expect(arrived.cause).toMatchObject({ message: 'no disk', facts: { path: 'x' }, retryable: false })
    expect(second.cause).toBe(first)
    expect((arrived.cause as Error).cause).toMatchObject({ name: 'TypeError', message: 'no file' })
    expect(arrived).not.toHaveProperty('cause.cause.cause')
  })

  test('becomes an error with the same message if its class is not ours', () => {
    const error = new RangeError('beyond the end')
    const arrived = sent(error)
    expect(arrived).not.toBeInstanceOf(AttestryError)
    expect(arrived).toMatchObject({ name: 'RangeError', message: 'beyond the end', stack: error.stack })
    expect(arrived).not.toHaveProperty('cause')
    expect(sent('a text')).toMatchObject({ name: 'Error', message: 'a text' })
  })
})

type ErrorClass = new (...args: ConstructorParameters<typeof AttestryError>) => AttestryError

async function listClasses(): Promise<ErrorClass[]> {
  const families = readdirSync(import.meta.dirname)
    .flatMap((name) => /^(\w+)Errors\.ts$/.exec(name)?.[1] ?? [])
    .filter((family) => family !== 'api')
  const modules = await Promise.all(families.map((name): Promise<object> => import(`./${name}Errors.ts`)))
  return modules.flatMap((module) => Object.values(module).filter(isErrorClass))
}

function isErrorClass(value: unknown): value is ErrorClass {
  return typeof value === 'function' && value.prototype instanceof AttestryError
}
