// Writes the PDFs that the cases and the skill's tests read: node evals/make-fixtures.mjs
import { createHash } from 'node:crypto'
import { mkdirSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { deflateSync } from 'node:zlib'

const fixtures = {
  'sample.pdf': pdf([
    page([
      '/F1 24 Tf 72 720 Td (Hello, World) Tj',
      '/F1 12 Tf 14 TL 0 -30 Td (A sample with \\(nested \\(parentheses\\)\\) and a back\\\\slash.) Tj',
      "(A caf\\351 costs \\2003.) '",
      '0 0 (This line was moved and shown at once.) "',
      'T* [(K) 60 (erned, but o) -20 (ne wo) 30 (rd) -250 (each.)] TJ',
    ]),
    page(['/F1 12 Tf 72 720 Td (The second page of the sample.) Tj', '0 -20 Td <456E64206F662073616D706C652E> Tj']),
  ]),
  'report.pdf': pdf(
    [
      page([
        '/F1 18 Tf 72 720 Td (Harbour report, spring) Tj',
        '/F1 11 Tf 0 -28 Td (Forty-two ships were counted in April.) Tj',
      ]),
      page(['/F1 18 Tf 72 720 Td (Tides) Tj', '/F1 11 Tf 0 -28 Td (High water reached 4.1 metres on 12 April.) Tj']),
      page([
        '/F1 18 Tf 72 720 Td (Repairs) Tj',
        '/F1 11 Tf 0 -28 Td (The north crane is out of service until June.) Tj',
      ]),
    ],
    { compress: true },
  ),
  // The total is wrong on purpose: 120.00 + 80.50 + 45.00 is 245.50.
  'invoice.pdf': pdf(
    [
      page([
        '/F1 20 Tf 72 720 Td (Invoice 2041) Tj',
        '/F1 11 Tf 0 -24 Td (Quayside Supplies, 3 Harbour Street) Tj',
        ...row(32, 'Item', 'Amount'),
        ...row(18, 'Rope, 40 m', '120.00'),
        ...row(18, 'Paint, 5 l', '80.50'),
        ...row(18, 'Delivery', '45.00'),
        ...row(24, 'Total', '254.50'),
      ]),
    ],
    { compress: true },
  ),
  'locked.pdf': pdf([page(['/F1 12 Tf 72 720 Td (Only for those who know the password.) Tj'])], {
    password: 'harbour',
  }),
  'not-a-pdf.pdf': 'Meeting notes. Somebody gave this text file the wrong extension.\n',
}

const forSkillTests = ['sample.pdf', 'report.pdf', 'locked.pdf', 'not-a-pdf.pdf']

for (const [name, content] of Object.entries(fixtures)) {
  write(`./fixtures/${name}`, content)
  if (forSkillTests.includes(name)) write(`../skills/pdf-tools/tests/fixtures/${name}`, content)
}

function write(path, content) {
  const file = fileURLToPath(new URL(path, import.meta.url))
  mkdirSync(new URL('.', new URL(path, import.meta.url)), { recursive: true })
  writeFileSync(file, content, 'latin1')
}

function page(operators) {
  return ['BT', ...operators, 'ET'].join('\n')
}

function row(down, left, right) {
  return [`0 -${down} Td (${left}) Tj`, `240 0 Td (${right}) Tj`, '-240 0 Td']
}

// Objects 1 to 3 are catalog, page tree and font; each page takes two more.
function pdf(contents, { compress = false, password = null } = {}) {
  const lock = password === null ? null : makeLock(password)
  const kids = contents.map((_, index) => `${4 + 2 * index} 0 R`)
  const objects = [
    '<< /Type /Catalog /Pages 2 0 R >>',
    `<< /Type /Pages /Kids [${kids.join(' ')}] /Count ${kids.length} >>`,
    '<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>',
  ]
  for (const content of contents) {
    const number = objects.length + 1
    const packed = compress ? deflateSync(Buffer.from(content, 'latin1'), { level: 9 }).toString('latin1') : content
    const data = lock ? lock.encrypt(number + 1, packed) : packed
    objects.push(
      `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Resources << /Font << /F1 3 0 R >> >> /Contents ${number + 1} 0 R >>`,
      `<< /Length ${data.length}${compress ? ' /Filter /FlateDecode' : ''} >>\nstream\n${data}\nendstream`,
    )
  }
  if (lock) objects.push(lock.dictionary)
  return assemble(objects, lock ? ` /Encrypt ${objects.length} 0 R /ID [<${lock.id}> <${lock.id}>]` : '')
}

function assemble(objects, trailer) {
  let text = '%PDF-1.4\n%\xe2\xe3\xcf\xd3\n'
  const offsets = objects.map((object, index) => {
    const offset = text.length
    text += `${index + 1} 0 obj\n${object}\nendobj\n`
    return `${String(offset).padStart(10, '0')} 00000 n \n`
  })
  return (
    `${text}xref\n0 ${objects.length + 1}\n0000000000 65535 f \n${offsets.join('')}` +
    `trailer\n<< /Size ${objects.length + 1} /Root 1 0 R${trailer} >>\nstartxref\n${text.length}\n%%EOF\n`
  )
}

// The standard security handler, revision 2: weak, but every reader knows it.
function makeLock(password) {
  const padding = Buffer.from('28BF4E5E4E758A4164004E56FFFA01082E2E00B6D0683E802F0CA9FE6453697A', 'hex')
  const padded = Buffer.concat([Buffer.from(password, 'latin1'), padding]).subarray(0, 32)
  const id = md5(Buffer.from('locked.pdf')).toString('hex')
  const permissions = Buffer.alloc(4)
  permissions.writeInt32LE(-4)

  const owner = rc4(md5(padded).subarray(0, 5), padded)
  const key = md5(Buffer.concat([padded, owner, permissions, Buffer.from(id, 'hex')])).subarray(0, 5)
  const user = rc4(key, padding)
  return {
    id,
    dictionary: `<< /Filter /Standard /V 1 /R 2 /O <${owner.toString('hex')}> /U <${user.toString('hex')}> /P -4 >>`,
    encrypt(number, text) {
      const salt = Buffer.from([number & 255, (number >> 8) & 255, (number >> 16) & 255, 0, 0])
      return rc4(md5(Buffer.concat([key, salt])).subarray(0, 10), Buffer.from(text, 'latin1')).toString('latin1')
    },
  }
}

function md5(bytes) {
  return createHash('md5').update(bytes).digest()
}

function rc4(key, bytes) {
  const state = Uint8Array.from({ length: 256 }, (_, index) => index)
  const swap = (a, b) => ([state[a], state[b]] = [state[b], state[a]])
  for (let i = 0, j = 0; i < 256; i += 1) {
    j = (j + state[i] + key[i % key.length]) & 255
    swap(i, j)
  }
  let i = 0
  let j = 0
  return Buffer.from(bytes).map((byte) => {
    i = (i + 1) & 255
    j = (j + state[i]) & 255
    swap(i, j)
    return byte ^ state[(state[i] + state[j]) & 255]
  })
}
