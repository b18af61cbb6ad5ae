import { ExportDamagedError } from '@attestry/core/errors/storeErrors.ts'
import { readLine } from './lineFields.ts'
import { parseExportLine, type ExportLine } from './parseExportLine.ts'
import { createSeal, exportFormat, exportVersion } from './sealExport.ts'

export interface ExportHeader {
  /** The version of the program that made it. */
  readonly program: string
}

/** An export as it is read, line by line. Only once all lines have been taken is it known to be whole. */
export interface OpenedExport {
  readonly header: ExportHeader
  /** @throws ExportDamagedError in the middle of it or at its end. */
  readonly lines: AsyncIterable<ExportLine>
}

/**
 * Reads the header of an export from its lines, which come without their ends. Only the source knows `isWhole` of the
 * last line: it says whether the text ended with a line end.
 * @throws ExportDamagedError when it is no export, or one of another version of the format.
 */
export async function openExport(lines: AsyncIterable<string>): Promise<OpenedExport> {
  const iterator = lines[Symbol.asyncIterator]()
  const first = await iterator.next()
  if (first.done === true) throw new ExportDamagedError('the file is empty: it is no export')
  const header = parseHeader(first.value)
  return { header, lines: readLines(first.value, iterator) }
}

function parseHeader(text: string): ExportHeader {
  const line = readHeader(text)
  if (!line.has('format') || line.text('format') !== exportFormat) throw notAnExport()
  const version = line.whole('version')
  if (version !== exportVersion) {
    throw new ExportDamagedError(
      `the export has version ${version} of the format, but this program reads version ${exportVersion}` +
        (version < exportVersion
          ? '; export again with this program'
          : '; use the program that made it, or a newer one'),
      { facts: { version } },
    )
  }
  if (!line.has('program'))
    throw new ExportDamagedError(
      'the export was made with --comparable, which leaves out what an import needs; export again without it',
    )
  return { program: line.text('program') }
}

function readHeader(text: string) {
  try {
    return readLine(text, 1)
  } catch (error) {
    throw notAnExport(error)
  }
}

function notAnExport(cause?: unknown): ExportDamagedError {
  return new ExportDamagedError('the file is no export of this program: its first line is no header', {
    ...(cause === undefined ? {} : { cause }),
  })
}

async function* readLines(header: string, rest: AsyncIterator<string>): AsyncGenerator<ExportLine> {
  const seal = createSeal()
  seal.add(header)
  let lineNumber = 1
  try {
    for (let next = await rest.next(); next.done !== true; next = await rest.next()) {
      lineNumber += 1
      const line = next.value
      if (line.startsWith('{"type":"end"')) {
        await assertEnd(line, seal.lastLine(), rest)
        return
      }
      seal.add(line)
      yield parseExportLine(line, lineNumber)
    }
  } finally {
    await rest.return?.()
  }
  throw new ExportDamagedError(`the export is cut: it ends after line ${lineNumber} without its last line`, {
    facts: { lines: lineNumber },
  })
}

async function assertEnd(line: string, expected: string, rest: AsyncIterator<string>): Promise<void> {
  if (line !== expected) {
    throw new ExportDamagedError('the export was damaged: its lines do not add up to what its last line says')
  }
  const more = await rest.next()
  if (more.done !== true) throw new ExportDamagedError('the export goes on after its last line')
}
