import { readFile } from 'node:fs/promises'

export async function readCount(file: string): Promise<number> {
  return Number(await readFile(file, 'utf8'))
}
