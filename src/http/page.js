// Shows one of: the set-up (with the token of the link), the login, the websites.
const token = new URLSearchParams(location.hash.slice(1)).get("setup");
const element = (id) => document.getElementById(id);
const credentials = element("credentials");

/** The answer's JSON; throws what the error says. */
async function call(method, path, body) {
  const init = body && { headers: { "content-type": "application/json" }, body: JSON.stringify(body) };
  const response = await fetch(path, { method, ...init });
  const answer = response.status === 204 ? null : await response.json();
  if (!response.ok) throw Object.assign(new Error(answer.error.message), { status: response.status });
  return answer;
}

function onSubmit(form, send) {
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    try {
      await send(Object.fromEntries(new FormData(form)));
      form.reset();
      await showWebsites();
    } catch (error) {
      element("message").textContent = error.message;
    }
  });
}

async function showWebsites() {
  const websites = await call("GET", "/websites");
  element("message").textContent = "";
  credentials.hidden = true;
  element("websites").hidden = false;
  const rows = websites.map(({ hostname, summary }) => {
    const row = document.createElement("tr");
    row.insertCell().textContent = hostname;
    row.insertCell().textContent = summary.visitors;
    return row;
  });
  document.querySelector("tbody").replaceChildren(...rows);
}

function showCredentials() {
  credentials.hidden = false;
  if (!isSecureContext)
    element("message").textContent =
      "Logging in needs HTTPS, or localhost: put a proxy with a certificate in front, or open an SSH tunnel to the server.";
  if (!token) return;
  const words = "Create the first account";
  for (const tag of ["h2", "button"]) credentials.querySelector(tag).textContent = words;
  credentials.elements.password.autocomplete = "new-password";
}

onSubmit(credentials, async (fields) => {
  if (token) await call("POST", "/setup", { token, ...fields });
  history.replaceState(null, "", location.pathname);
  await call("POST", "/auth/login", fields);
});
onSubmit(element("add"), (fields) => call("POST", "/websites", fields));
element("logout").addEventListener("click", async () => {
  await call("POST", "/auth/logout");
  location.reload();
});

if (token) showCredentials();
else
  showWebsites().catch((error) => {
    if (error.status !== 401) element("message").textContent = error.message;
    showCredentials();
  });
