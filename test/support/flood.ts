/**
 * The function `floods` of a script in Node that has `connect`: sends several requests at once, whose text has as many MiB
 * of a piece in place of `END`, in one body or in chunks. Each takes what comes back for at most four seconds.
 */
export const FLOOD = `
const flood = ({ address, endpoint, token, body }, mebibytes = 0, piece = 'xxxx', isChunked = false) => new Promise((resolve) => {
  const socket = connect(address)
  const [start, end] = body.split('END')
  let left = Math.ceil(mebibytes * 16)
  const length = Buffer.byteLength(start + end) + left * 65536
  const frame = (text) => isChunked ? text.length.toString(16) + '\\r\\n' + text + '\\r\\n' : text
  const text = piece.repeat(65536 / piece.length)
  socket.on('error', resolve).on('close', resolve).on('data', () => {})
  setTimeout(() => socket.destroy(), 4000).unref()
  socket.write('POST ' + endpoint + ' HTTP/1.1\\r\\nhost: x\\r\\nauthorization: Bearer ' + token + '\\r\\nconnection: close\\r\\n' +
    'content-type: application/json\\r\\n' + (isChunked ? 'transfer-encoding: chunked' : 'content-length: ' + length) + '\\r\\n\\r\\n' + frame(start))
  const go = () => {
    while (left > 0 && !socket.destroyed) {
      left -= 1
      if (!socket.write(frame(text))) return void socket.once('drain', go)
    }
    socket.write(frame(end) + (isChunked ? '0\\r\\n\\r\\n' : ''))
  }
  go()
})
const floods = (count, to, ...how) => Promise.all(Array.from({ length: count }, () => flood(to, ...how)))
`
