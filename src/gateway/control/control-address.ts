/** Where workers reach the gateway: a socket, and the secret that opens it. One string, so that it travels as JSON. */
export interface ControlAddress {
  readonly socket: string
  readonly secret: string
}

export function writeAddress({ socket, secret }: ControlAddress): string {
  return `${socket}#${secret}`
}

export function readAddress(address: string): ControlAddress {
  const cut = address.lastIndexOf('#')
  return { socket: address.slice(0, cut), secret: address.slice(cut + 1) }
}
