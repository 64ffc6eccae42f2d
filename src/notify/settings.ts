/** The settings of everything that is sent. Without a mail server no mail is sent. */
import type { Network } from "../core/addresses/network.ts";

export interface MailServer {
  readonly host: string;
  readonly port: number;
  /** Whether the connection begins with TLS; else it is encrypted by STARTTLS where the server can. */
  readonly secure: boolean;
  /** Whether nothing is said without TLS: whenever there is a password, but to this machine. */
  readonly requireTls: boolean;
  readonly login: { readonly user: string; readonly pass: string } | undefined;
  /** The sender as mails show it: an address, perhaps with a name before it. */
  readonly from: string;
}

export interface NotifySettings {
  readonly mail: MailServer | undefined;
  /** The public address of this server, without a slash at its end; undefined if nobody said so: there are no links then. */
  readonly url: string | undefined;
  /** Networks of its own that webhooks may reach, and without TLS. */
  readonly webhookNetworks: readonly Network[];
}
