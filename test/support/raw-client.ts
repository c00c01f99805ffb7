import { once } from 'node:events'
import { connect } from 'node:net'

/** Sends bytes to the gateway's socket and returns all that comes back until it is quiet for a moment or closes. */
export async function sendRaw(socketPath: string, bytes: string | Buffer, quietMs = 60): Promise<string> {
  const socket = connect(socketPath)
  await once(socket, 'connect')
  const pieces: string[] = []
  socket.on('error', () => {})
  socket.setEncoding('latin1').on('data', (text: string) => void pieces.push(text))
  socket.write(bytes)
  await new Promise<void>((resolve) => {
    let quiet: NodeJS.Timeout | null = null
    // The first bytes may take long on a busy machine.
    const wait = (): void => {
      if (quiet !== null) clearTimeout(quiet)
      quiet = setTimeout(resolve, pieces.length === 0 ? 5000 : quietMs)
    }
    wait()
    socket.on('data', wait).once('close', () => resolve())
  })
  socket.destroy()
  return pieces.join('')
}
